// Standard cards: their faces, their names, and the pad on which the dealer taps a rank and a suit.

import { h } from "../../js/dom.js";
import { t } from "../../js/page.js";

export const RANKS = "A23456789TJQK";
export const SUITS = "SHDC";
const SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const shown = (rank) => (rank === "T" ? "10" : rank);

/** A card in words. */
export const cardName = (id) => t("std_card_name", { rank: t(`rank_${id[0]}`), suit: t(`suit_${id[1]}`) });

/** A card's face; without an id its back. */
export const face = (id, props = {}) =>
  id
    ? h(
        "span",
        { role: "img", "aria-label": cardName(id), ...props, class: `std-card suit-${id[1]}` },
        h("b", {}, shown(id[0])),
        h("i", {}, SIGNS[id[1]]),
      )
    : h("span", { role: "img", "aria-label": t("card_down"), ...props, class: "std-card down" });

/**
 * Tap a rank and a suit, in any order: the second tap gives the card.
 * @param {{rank: string|null, suit: string|null}} chosen kept by the page between drawings
 * @param {{usedUp: Set<string>, busy: boolean, onCard: function(string): void, redraw: function}} use
 */
export function pad(chosen, use) {
  const tap = (part) => {
    Object.assign(chosen, part);
    const card = `${chosen.rank ?? ""}${chosen.suit ?? ""}`;
    if (card.length === 2 && !use.busy) {
      Object.assign(chosen, { rank: null, suit: null });
      use.onCard(card);
    }
    use.redraw();
  };
  const isUsedUp = (rank, suit) => rank !== null && suit !== null && use.usedUp.has(rank + suit);
  return h(
    "div",
    { class: "card-pad", key: "pad" },
    h(
      "div",
      { class: "ranks", role: "group", "aria-label": t("rank") },
      [...RANKS].map((rank) =>
        key(rank, t(`rank_${rank}`), shown(rank), {
          pressed: chosen.rank === rank,
          off: use.busy || isUsedUp(rank, chosen.suit),
          tap: () => tap({ rank }),
        }),
      ),
    ),
    h(
      "div",
      { class: "suits", role: "group", "aria-label": t("suit") },
      [...SUITS].map((suit) =>
        key(suit, t(`suit_${suit}`), SIGNS[suit], {
          pressed: chosen.suit === suit,
          off: use.busy || isUsedUp(chosen.rank, suit),
          tap: () => tap({ suit }),
        }),
      ),
    ),
  );
}

const key = (id, name, sign, { pressed, off, tap }) =>
  h(
    "button",
    {
      type: "button",
      key: id,
      class: `pad-key suit-${id}`,
      "aria-label": name,
      "aria-pressed": String(pressed),
      "aria-disabled": off ? "true" : null,
      onclick: () => !off && tap(),
    },
    sign,
  );
