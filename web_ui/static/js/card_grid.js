// Every card of the deck to touch: the way on by hand.

import { h } from "./dom.js";
import { card, suitEmblem } from "./card.js";
import { cardName, data, suitName, t } from "./page.js";

/** The card that is typed as "6d3", with the first letter of the half in the page's language or in English. */
export function cardOf(word) {
  const [, suit, letter, count] = /^(\d)([a-z])(\d)$/.exec(word) ?? [];
  const half = ["day", "night"].find((one) => letter === one[0] || letter === t(one)[0].toLowerCase());
  const id = half && `${suit}${half[0].toUpperCase()}${count}`;
  return data.cards.includes(id) ? id : null;
}

const roomy = matchMedia("(min-width: 62.5em) and (min-height: 40em)"); // as in dealer.css: two suits in a row there

/** A long suit beside a short one, so that all rows are of one length: 2 and 7, 3 and 6, 4 and 5. */
function inPairs(suits) {
  if (!roomy.matches) return suits;
  const half = Math.floor(suits.length / 2);
  const short = suits.slice(0, half);
  const long = suits.slice(half).reverse();
  return long.flatMap((suit, i) => [short[i + short.length - long.length], suit]).filter(Boolean);
}

/**
 * The cards, suit by suit.
 * @param {{seen: Set, off: function(string): boolean, onTouch: function(string), suits?: Array, picked?: string}} use
 */
export function cardGrid({ seen, off, onTouch, suits, picked }) {
  const all = suits || inPairs([...new Set(data.cards.map((id) => id[0]))]);
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
