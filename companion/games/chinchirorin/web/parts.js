// The table of chinchirorin: dice in the bowl, the bank, the bets.

import { h } from "../../js/dom.js";
import { number, t } from "../../js/page.js";
import { seatBadge } from "../../js/pieces.js";

export const PIPS = [1, 2, 3, 4, 5, 6];
const LONG = 160; // letters of a round with many bettors: in smaller ones, so that nothing of it is cut off
const [LEFT, MIDDLE, RIGHT] = [-22, 0, 22];
const CORNERS = [
  [LEFT, LEFT],
  [RIGHT, RIGHT],
];
const OTHERS = [
  [RIGHT, LEFT],
  [LEFT, RIGHT],
];
const SIDES = [
  [LEFT, MIDDLE],
  [RIGHT, MIDDLE],
];
const CENTER = [[MIDDLE, MIDDLE]];
const DOTS = {
  1: CENTER,
  2: CORNERS,
  3: [...CORNERS, ...CENTER],
  4: [...CORNERS, ...OTHERS],
  5: [...CORNERS, ...OTHERS, ...CENTER],
  6: [...CORNERS, ...OTHERS, ...SIDES],
};

/** A die from above; without pips it is a free place. The one is red, as on dice of this game. */
export const die = (pips, props = {}) =>
  h(
    "svg",
    {
      viewBox: "-50 -50 100 100",
      role: "img",
      "aria-label": pips ? t("die_shows", { n: pips }) : t("die_none"),
      ...props,
      class: `bowl-die ${pips ? `pips-${pips}` : "free"} ${props.class || ""}`,
    },
    h("rect", { x: -44, y: -44, width: 88, height: 88, rx: 18 }),
    (DOTS[pips] || []).map(([cx, cy], i) => h("circle", { key: i, cx, cy, r: pips === 1 ? 15 : 9 })),
  );

/** A throw: its dice and what it means. */
export const throwLine = (one, props = {}) =>
  h(
    "li",
    { ...props, class: `throw ${one.kind}` },
    one.dice.length > 0
      ? h(
          "span",
          { class: "dice", "aria-hidden": "true" },
          one.dice.map((pips, i) => die(pips, { key: i, role: null, "aria-label": null })),
        )
      : h("span", { class: "dice gone", "aria-hidden": "true" }, "⤳"),
    h("span", { class: "says" }, one.text),
  );

const throwList = (throws, key) =>
  h(
    "ol",
    { class: "throws", key },
    throws.map((one, i) => throwLine(one, { key: i })),
  );

/** What was thrown in this round; before the first throw what ended the last one. */
export function bowl(view) {
  const isFresh = view.throws.length + view.banker_throws.length === 0;
  return h(
    "section",
    { class: "bowl", key: "bowl", "aria-label": t("bowl") },
    view.phase === "draw" ? draws(view) : null,
    view.banker_throws.length > 0 && [
      h("h2", { class: "label", key: "bh" }, t("throws_of", { player: view.banker })),
      throwList(view.banker_throws, "bt"),
    ],
    view.throws.length > 0 && [
      h("h2", { class: "label", key: "th" }, t("throws_of", { player: view.turn })),
      throwList(view.throws, "tt"),
    ],
    isFresh &&
      view.last && [
        h("h2", { class: "label", key: "lh" }, t("last_round")),
        throwList([view.last], "lt"),
        h("p", { class: `summary ${view.summary.length > LONG ? "long" : ""}`, key: "ls" }, view.summary),
      ],
    isFresh && !view.last && view.phase !== "draw" && h("p", { class: "hint", key: "none" }, t("bowl_empty")),
  );
}

/** Who threw what for the first bank. */
const draws = (view) =>
  h(
    "ul",
    { class: "draws", key: "draws" },
    view.drawn.map((one) => h("li", { key: one.player }, die(one.die), h("span", { class: "who" }, one.player))),
    view.asked.map((player) => h("li", { key: player, class: "asked" }, die(0), h("span", { class: "who" }, player))),
  );

const seatOf = (view, name) => view.players.find((player) => player.name === name)?.seat;

/** Whether somebody has no coins left, on the table neither: they are out of the game until they buy in. */
export const isOut = (view, player) =>
  player.coins === 0 && player.staked === 0 && (view.phase !== "draw" || view.asked.length + view.drawn.length > 0);

/** The bank and all bets, clockwise from the banker. */
export const bank = (view) =>
  h(
    "section",
    { class: "panel bank-panel", key: "bank" },
    h(
      "p",
      { class: "bank-line" },
      h("span", { class: "label" }, t("bank")),
      h("b", { class: "coins" }, view.bank === null ? "–" : number(view.bank)),
      view.banker && h("span", { class: "who" }, seatBadge(seatOf(view, view.banker)), " ", view.banker),
    ),
    view.bets.length === 0 && h("p", { class: "hint" }, t("no_bets")),
    h(
      "ul",
      { class: "bank-bets" },
      view.bets.map((bet) =>
        h(
          "li",
          { key: bet.player, class: bet.player === view.player ? "thrower" : "" },
          seatBadge(seatOf(view, bet.player)),
          h(
            "span",
            { class: "who" },
            bet.player,
            bet.player === view.player && [" ", h("span", { class: "tag" }, t("throws_for_all"))],
          ),
          h("b", {}, number(bet.amount)),
        ),
      ),
    ),
    view.phase === "betting" && h("p", { class: "hint" }, room(view)),
  );

/** How much more can be bet: the banker may have allowed more than the bank holds. */
function room(view) {
  const over = view.staked - view.bank;
  if (over > 0) return t("bank_over", { coins: number(over) });
  return over === 0 ? t("bank_full") : t("bank_left", { coins: number(view.left) });
}

/** A side of the odds in words. */
export const sideName = (on) => t(`cspot_${on}`);
