// The suits' stacks: a pile of cards each, how far the cut is, what a bet on it is worth, and who has bet.

import { h } from "../../js/dom.js";
import { emblem, suitEmblem } from "../../js/card.js";
import { pile } from "../../js/card_pile.js";
import { strip, STRIP } from "./layout.js";
import { betsNow } from "../../js/felt_svg.js";
import { chance, number, priceText, suitName, t } from "../../js/page.js";
import { spotName, spotSuit } from "./spots.js";
import { seatBadge } from "../../js/pieces.js";
import { winText } from "../../js/sums.js";

const CHIPS_SHOWN = 4;

/** All stacks. `options.odds` and `options.bets` say whether those are shown. */
export function stacks(view, options = {}) {
  const odds = new Map((view.odds || []).map((line) => [line.on, line]));
  return h(
    "section",
    { class: `stacks n${view.stacks.length}`, key: "stacks", "aria-label": t("stacks") },
    view.stacks.map((stack) => one(stack, view, odds, options)),
  );
}

/** The layout while bets are open, for a narrow window: each suit's spots in a row, large enough to read. */
export const layoutRows = (view) =>
  h(
    "div",
    { class: "layout-rows", key: "rows" },
    view.stacks.map((stack) =>
      h(
        "section",
        { key: stack.suit, "data-suit": stack.suit },
        h("h2", {}, suitEmblem(stack.suit), suitName(stack.suit)),
        strip(stack.suit, view),
        betsOn(stack.suit, view),
      ),
    ),
  );

function one(stack, view, odds, options) {
  const settled = view.phase === "settled";
  const ripe = !settled && stack.to_cut === 1;
  const cls = `stack${stack.is_cut ? " is-cut" : ""}${ripe ? " is-ripe" : ""}`;
  return h(
    "article",
    {
      class: cls,
      key: stack.suit,
      "data-suit": stack.suit,
      "aria-label": t("pile_of", { suit: stack.name, count: stack.count, of: stack.cut_at }),
    },
    h("header", {}, suitEmblem(stack.suit), h("h2", {}, suitName(stack.suit))),
    pile(stack, view.last),
    tally(stack, ripe),
    options.odds !== false && !settled && worth(stack.suit, odds),
    options.bets === "small" &&
      smallBets(
        betsNow(view).filter((bet) => spotSuit(bet.on) === stack.suit),
        view,
      ),
    options.bets !== false &&
      options.bets !== "small" && [strip(stack.suit, view), view.layout !== "grand" && betsOn(stack.suit, view)],
  );
}

/** Every bet of a few, small: whose it is by number and color, on what, how many coins. */
export const smallBets = (bets, view) =>
  bets.length > 0 &&
  h(
    "ul",
    { class: "small-bets" },
    bets.map((bet) =>
      h(
        "li",
        {
          key: `${bet.player}/${bet.on}`,
          class: bet.is_won === undefined ? "" : bet.is_won ? "won" : "lost",
          title: `${bet.player}: ${spotName(bet.on)}`,
        },
        seatBadge(view.players.find((player) => player.name === bet.player)?.seat ?? "?"),
        smallKind(...bet.on.split("/")),
        h("b", {}, number(bet.amount)),
      ),
    ),
  );

/** Where a bet lies, as short as can be: the cut goes without saying, halves have their signs, cards their number. */
function smallKind(kind, what) {
  if (kind === "cut") return h("span", { class: "quiet" }, t("kind_cut"));
  const half = kind === "day" || kind === "night" ? kind : { D: "day", N: "night" }[what?.[1]];
  const word = { card: "", day: "", night: "", terminus: t("felt_terminus"), oscura: t("felt_oscura") }[kind];
  return h(
    "span",
    { class: "small-kind" },
    half && [emblem(`half-${half}`, "emblem half"), h("span", { class: "quiet" }, t(`kind_${half}`))],
    what?.length > 1 && what.slice(2),
    word === undefined ? t(`kind_${kind}`) : word && ` ${word}`,
  );
}

function tally(stack, ripe) {
  const words = stack.is_cut ? t("is_cut") : ripe ? t("ripe") : t("to_cut", { count: stack.to_cut });
  return h(
    "div",
    { class: "tally" },
    h("p", { class: "count" }, h("b", {}, stack.count), " ", h("span", {}, t("of", { of: stack.cut_at }))),
    h("p", { class: "distance" }, words),
    h(
      "p",
      { class: "pips", "aria-hidden": "true" },
      Array.from({ length: stack.cut_at }, (_, i) => h("i", { class: i < stack.count ? "on" : "" })),
    ),
  );
}

function worth(suit, odds) {
  const line = odds.get(`cut/${suit}`);
  if (!line) return null;
  return h(
    "div",
    { class: "worth" },
    h(
      "p",
      { class: "main" },
      h("b", {}, chance(line.float)),
      h("span", {}, t("pays", { price: priceText(line.pays) })),
    ),
    h(
      "p",
      { class: "halves" },
      ["day", "night"].map((half) => {
        const bet = odds.get(`${half}/${suit}`);
        return (
          bet?.float > 0 &&
          h(
            "span",
            { title: spotName(bet.on) },
            emblem(`half-${half}`, "emblem half"),
            h("span", { class: "quiet" }, t(`kind_${half}`)),
            chance(bet.float),
          )
        );
      }),
    ),
  );
}

/** Bets on single cards and starlight, which have no place in the strip. */
function betsOn(suit, view) {
  const bets = betsNow(view).filter((bet) => spotSuit(bet.on) === suit && !STRIP.includes(bet.on.split("/")[0]));
  return bets.length > 0 && h("ul", { class: "bets-on" }, chipsOf(bets));
}

/** Bets as chips, the largest first; where there are many, the rest in one. */
export function chipsOf(bets) {
  const sorted = [...bets].sort((a, b) => Number(b.is_won || 0) - Number(a.is_won || 0) || b.amount - a.amount);
  if (sorted.length <= CHIPS_SHOWN) return sorted.map(betChip);
  const rest = sorted.slice(CHIPS_SHOWN - 1);
  const coins = rest.reduce((sum, bet) => sum + bet.amount, 0);
  return [
    ...sorted.slice(0, CHIPS_SHOWN - 1).map(betChip),
    h(
      "li",
      { key: "rest", class: "bet-chip rest" },
      h("span", { class: "who" }, t("more_bets", { count: rest.length })),
      h("b", {}, number(coins)),
    ),
  ];
}

function betChip(bet) {
  const [kind, what] = bet.on.split("/");
  const single = what && what.length > 1;
  return h(
    "li",
    {
      key: `${bet.player}/${bet.on}`,
      class: `bet-chip ${single ? "single " : ""}${bet.is_won === undefined ? "" : bet.is_won ? "won" : "lost"}`,
      title: bet.is_won ? `${spotName(bet.on)}: ${winText(bet)}` : spotName(bet.on),
    },
    h("span", { class: "who" }, bet.player),
    kindOf(kind, single ? what : null, bet.is_won !== undefined),
    h(
      "b",
      {},
      bet.is_won === undefined
        ? number(bet.amount)
        : bet.is_won
          ? t("win_short", { won: bet.won, stake: bet.amount })
          : t("paid_lost", { amount: bet.amount }),
    ),
  );
}

// Day and night say their sign alone, to leave room for the name; a settled bet on the cut needs no word.
function kindOf(kind, card, settled) {
  const half = kind === "day" || kind === "night";
  const hidden = half || (settled && kind === "cut");
  return h(
    "span",
    { class: `kind kind-${kind}` },
    half ? emblem(`half-${kind}`, "emblem half") : null,
    h("span", { class: hidden ? "quiet" : "" }, t(`kind_${kind}`)),
    card && ` ${card}`,
  );
}
