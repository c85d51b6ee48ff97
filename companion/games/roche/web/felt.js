// The betting layout: touch a spot to bet the chosen amount there. Used by a player's phone and by the dealer.

import { h } from "../../js/dom.js";
import { emblem, suitEmblem } from "../../js/card.js";
import { coinsOf, newChips, whyNoCoins } from "../../js/chips.js";
import { number, priceText, suitName, t } from "../../js/page.js";
import { spotName } from "./spots.js";
import { toast } from "../../js/shell.js";

export { chips } from "../../js/chips.js";

const SHORT = 999; // coins that have room beside what others bet
const SINGLES = ["card", "terminus", "oscura"];

/** What somebody is choosing, kept by the page between drawings. */
export const newChoice = () => ({
  ...newChips(),
  tab: "suits",
  single: "card",
  suit: null,
});

/**
 * The layout.
 * @param {object} view the table
 * @param {object} choice see newChoice
 * @param {{player: string|null, pending: Set, enabled: boolean, onBet: function(string, number), redraw: function}} use
 */
export function felt(view, choice, use) {
  const tabs = view.layout === "grand" ? ["suits", "single", "special"] : ["suits"];
  const body = { suits: suits, single: single, special: special }[choice.tab];
  return h(
    "section",
    { class: "felt", key: "felt" },
    tabs.length > 1 &&
      h(
        "div",
        { class: "tabs small", role: "group" },
        tabs.map((tab) =>
          h(
            "button",
            {
              type: "button",
              key: tab,
              "aria-pressed": String(choice.tab === tab),
              onclick: () => ((choice.tab = tab), use.redraw()),
            },
            t(`tab_${tab}`),
          ),
        ),
      ),
    body(view, choice, use),
  );
}

function suits(view, choice, use) {
  return h(
    "div",
    { class: "felt-suits", key: "suits" },
    view.stacks.map((stack) =>
      h(
        "div",
        { class: "felt-row", key: stack.suit, "data-suit": stack.suit },
        h(
          "p",
          { class: "felt-name" },
          suitEmblem(stack.suit),
          h("span", {}, suitName(stack.suit)),
          view.phase !== "betting" && h("small", {}, t("count_of", { count: stack.count, of: stack.cut_at })),
        ),
        ["day", "cut", "night"].map((kind) => spot(`${kind}/${stack.suit}`, view, choice, use)),
      ),
    ),
  );
}

function single(view, choice, use) {
  const suit = choice.suit || view.stacks[0].suit;
  const cards = Object.keys(view.spots).filter((on) => on.startsWith(`${choice.single}/${suit}`));
  return h(
    "div",
    { class: "felt-single", key: "single" },
    h(
      "div",
      { class: "tabs small", role: "group" },
      SINGLES.map((kind) =>
        h(
          "button",
          {
            type: "button",
            key: kind,
            "aria-pressed": String(choice.single === kind),
            onclick: () => ((choice.single = kind), use.redraw()),
          },
          t(`kind_${kind}`),
        ),
      ),
    ),
    h(
      "div",
      { class: "tabs small suits-tabs", role: "group" },
      view.stacks.map((stack) =>
        h(
          "button",
          {
            type: "button",
            key: stack.suit,
            "data-suit": stack.suit,
            "aria-label": suitName(stack.suit),
            "aria-pressed": String(suit === stack.suit),
            onclick: () => ((choice.suit = stack.suit), use.redraw()),
          },
          suitEmblem(stack.suit),
          h("span", { class: "name" }, suitName(stack.suit)),
        ),
      ),
    ),
    h("p", { class: "hint" }, t(`rule_${choice.single}`)),
    h(
      "div",
      { class: "felt-cards", "data-suit": suit },
      cards.map((on) => spot(on, view, choice, use)),
    ),
  );
}

function special(view, choice, use) {
  const spots = Object.keys(view.spots).filter((on) => on.startsWith("starlight/") || on === "cavalry");
  const place = (on) => h("div", { key: on, "data-suit": on.split("/")[1] || null }, spot(on, view, choice, use));
  return h("div", { class: "felt-special", key: "special" }, spots.map(place));
}

function spot(on, view, choice, use) {
  const price = view.spots[on];
  if (!price) return null;
  const [kind, what] = on.split("/");
  const mine = view.bets.find((bet) => bet.on === on && bet.player === use.player);
  const others = view.bets
    .filter((bet) => bet.on === on && bet.player !== use.player)
    .reduce((sum, bet) => sum + bet.amount, 0);
  const busy = use.pending.has(on);
  const coins = coinsOf(choice);
  const isClosed = Boolean(view.closed_spots?.includes(on));
  const named = { spot: spotName(on), price: priceText(price) };
  const says = isClosed
    ? t("spot_waits", { ...named, why: t("spot_too_dear") })
    : coins === null
      ? t("spot_waits", { ...named, why: whyNoCoins(choice) })
      : t("touch_to_bet", { ...named, amount: coins });
  return h(
    "button",
    {
      type: "button",
      key: on,
      class: `spot kind-${kind}${mine ? " mine" : ""}${busy ? " busy" : ""}${isClosed ? " closed" : ""}`,
      "aria-disabled": use.enabled && !busy && !isClosed && coins !== null ? null : "true",
      "aria-label": says + (mine ? `. ${t("your_bets")}: ${number(mine.amount)}` : ""),
      onclick: () =>
        use.enabled && !use.pending.has(on) && (isClosed ? toast(t("spot_too_dear")) : touch(on, choice, use)),
    },
    h("span", { class: "what" }, label(kind, what)),
    h("span", { class: "price" }, priceText(price)),
    mine && h("span", { class: `chip own${mine.amount > SHORT ? " long" : ""}` }, number(mine.amount)),
    others > 0 && h("span", { class: "chip others" }, number(others)),
    busy && h("span", { class: "spin", "aria-hidden": "true" }),
  );
}

/** Bet what is chosen now, or say why there is nothing to bet. */
function touch(on, choice, use) {
  const coins = coinsOf(choice);
  if (coins === null) toast(whyNoCoins(choice), "error");
  else use.onBet(on, coins);
}

function label(kind, what) {
  if (kind === "day" || kind === "night") return [emblem(`half-${kind}`, "emblem half"), t(`kind_${kind}`)];
  if (kind === "cavalry") return t("spot_cavalry");
  if (kind === "starlight") return [suitEmblem(what), t("spot_starlight", { suit: suitName(what) })];
  if (SINGLES.includes(kind))
    return [emblem(what[1] === "D" ? "half-day" : "half-night", "emblem half"), what.slice(2)];
  return t(`kind_${kind}`);
}
