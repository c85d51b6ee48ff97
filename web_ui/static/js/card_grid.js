// Every card of the deck to touch: the way on by hand.

import { h } from "./dom.js";
import { card, suitEmblem } from "./card.js";
import { cardName, data, suitName } from "./page.js";

/**
 * The cards, suit by suit.
 * @param {{seen: Set, off: function(string): boolean, onTouch: function(string), suits?: Array, picked?: string}} use
 */
export function cardGrid({ seen, off, onTouch, suits, picked }) {
  const all = suits || [...new Set(data.cards.map((id) => id[0]))];
  const one = (id) =>
    h(
      "button",
      {
        type: "button",
        key: id,
        class: `card-button${seen.has(id) ? " seen" : ""}${picked === id ? " picked" : ""}`,
        "aria-label": cardName(id),
        "aria-disabled": off(id) ? "true" : null,
        "aria-pressed": picked === undefined ? null : String(picked === id),
        onclick: () => !off(id) && onTouch(id),
      },
      card(id, { "aria-hidden": "true", role: null, "aria-label": null }),
    );
  return h(
    "div",
    { class: "card-grid", key: "grid" },
    all.map((suit) =>
      h(
        "div",
        { class: "card-row", key: suit, "data-suit": suit },
        h("p", { class: "felt-name" }, suitEmblem(suit), h("span", {}, suitName(suit))),
        ["D", "N"].map((half) =>
          h(
            "div",
            { class: "half-row", key: half },
            data.cards.filter((id) => id[0] === suit && id[1] === half).map(one),
          ),
        ),
      ),
    ),
  );
}
