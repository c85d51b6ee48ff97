// Tokens, the leader's button, the coins in a pot, and the sign of a suit's condition.

import { h } from "../../js/dom.js";
import { suitName, t } from "../../js/page.js";
import { CHIPS, chipsFor } from "../../js/pieces.js";

const TALL = 6;

/** A suit's token: a disc with the emblem, and the suit's number for those who do not know the emblems yet. */
export const token = (suit, props = {}) =>
  h(
    "svg",
    {
      viewBox: "-20 -20 40 40",
      role: "img",
      "aria-label": t("token_of", { suit: suitName(suit) }),
      "data-suit": suit,
      ...props,
      class: `token ${props.class || ""}`,
    },
    h("circle", { class: "rim", r: 19 }),
    h("circle", { class: "face", r: 15.4 }),
    h("use", { href: `#suit-${suit}`, class: "figure", x: -10.5, y: -12, width: 21, height: 21 }),
    h("text", { class: "rank", x: 0, y: 14 }, suit),
  );

/** The leader's button. */
export const leaderButton = () =>
  h(
    "span",
    { class: "leader-button", key: "leader" },
    h(
      "svg",
      { viewBox: "-10 -10 20 20", "aria-hidden": "true" },
      h("circle", { r: 9 }),
      h("path", { d: "M-5.5 4 -6.5 -4 -2.6 -1 0 -6 2.6 -1 6.5 -4 5.5 4Z" }),
    ),
    h("span", { class: "quiet" }, t("leader_button")),
  );

/** A pot's coins as small piles, with the number beside them. */
export function pile(coins) {
  const counts = CHIPS.map((value) => [value, Math.min(chipsFor(coins).filter((chip) => chip === value).length, TALL)]);
  const columns = counts.filter(([, count]) => count > 0);
  return h(
    "svg",
    { class: "coin-pile", viewBox: "0 0 66 40", "aria-hidden": "true" },
    columns.map(([value, count], column) =>
      Array.from({ length: count }, (_, i) =>
        h(
          "g",
          { key: `${column}/${i}`, class: `c${value}`, transform: `translate(${column * 22 + 1} ${32 - i * 4.6})` },
          h("ellipse", { cx: 10, cy: 3.4, rx: 10, ry: 3.6, class: "side" }),
          h("ellipse", { cx: 10, cy: 1, rx: 10, ry: 3.6, class: "top" }),
        ),
      ),
    ),
  );
}

// Each condition has a shape and a word: nobody needs to tell colours apart.
const SIGNS = {
  fresh: [h("path", { d: "M12 21V12M12 14C12 8 8 6 3.5 6c0 5 3 8 8.5 8M12 12c0-5 4-7 8.5-7 0 5-3.5 7-8.5 7" })],
  open: [h("circle", { cx: 12, cy: 12, r: 8 }), h("path", { class: "solid", d: "M12 4a8 8 0 0 1 0 16Z" })],
  ripe: [h("circle", { class: "solid", cx: 12, cy: 14, r: 7.5 }), h("path", { d: "M12 7c0-3 1.5-4.5 4-5" })],
  rotten: [
    h("path", {
      d: "M4.5 14a7.5 7.5 0 0 1 13-5l-2.5 2.5 3 2-2.5 3 2 2.300A7.5 7.5 0 0 1 4.5 14ZM12 7c0-3 1.5-4.5 4-5",
    }),
  ],
  dead: [h("path", { d: "M5 5l14 14M19 5 5 19", class: "heavy" })],
  locked: [
    h("rect", { class: "solid", x: 4.5, y: 10.5, width: 15, height: 10.5, rx: 2 }),
    h("path", { d: "M8 10.5V8a4 4 0 0 1 8 0v2.5" }),
  ],
  cut: [
    h("circle", { cx: 6, cy: 18, r: 2.8 }),
    h("circle", { cx: 18, cy: 18, r: 2.8 }),
    h("path", { d: "M8 16 17 3M16 16 7 3" }),
  ],
};

/** The sign of a suit's condition. */
export const sign = (kind) =>
  h("svg", { class: `cond-sign sign-${kind}`, viewBox: "0 0 24 24", "aria-hidden": "true" }, SIGNS[kind]);

/** How a suit stands, in words: the count to its cut, or why there is none. */
export function standing(stack) {
  if (stack.is_cut) return { kind: "cut", text: t("is_cut") };
  if (stack.is_locked) return { kind: "locked", text: t("cond_locked") };
  if (stack.condition === "dead") return { kind: "dead", text: t("cond_dead") };
  if (stack.to_cut === 1)
    return { kind: "ripe", text: t("ripe"), also: stack.condition === "rotten" ? t("cond_rotten") : null };
  const also = stack.condition === "open" ? null : t(`cond_${stack.condition}`);
  return { kind: stack.condition, text: t("to_cut", { count: stack.to_cut }), also };
}

/** How far a suit is, in one line: "2 of 3 · Ripe". */
export function howFar(stack, { kind, text }) {
  const words = kind === "fresh" || kind === "open" ? text : t(`cond_${kind}`);
  return `${t("count_of", { count: stack.count, of: stack.cut_at })} · ${words}`;
}
