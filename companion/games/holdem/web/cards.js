// Standard cards: as they lie on the table, as places that are free, and as two taps that name one.

import { h } from "../../js/dom.js";
import { t } from "../../js/page.js";
import { cardText } from "../../js/standard_card.js";

const RANKS = [..."AKQJT98765432"];
const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const RED = /[HD]$/;

const rankText = (rank) => (rank === "T" ? "10" : rank);

/** A card that lies open; without an id a free place, with "back" one that lies face down. */
export function playingCard(id, props = {}) {
  if (!id) return h("span", { ...props, class: "playing free", "aria-hidden": "true" });
  if (id === "back") return h("span", { ...props, class: "playing back", "aria-hidden": "true" });
  return h(
    "span",
    { ...props, class: `playing ${RED.test(id) ? "red" : "black"}`, role: "img", "aria-label": cardText(id) },
    h("b", {}, rankText(id[0])),
    h("i", {}, SUITS[id[1]]),
  );
}

/** What is being named: cards that are complete, and the rank of the next one. */
export const newPick = () => ({ cards: [], rank: null });

/** Every card that lies open in this hand. */
const seenIn = (view) => new Set([...view.board, ...view.in_hand.flatMap((one) => one.cards)]);

/**
 * Name cards by rank and suit; the last one completes it.
 * @param {object} its view, pick (see newPick), count, redraw, done(cards), label(cards), busy
 */
export function cardPicker({ view, pick, count, redraw, done, label, busy }) {
  const seen = new Set([...seenIn(view), ...pick.cards]);
  const isFull = pick.cards.length === count;
  const choose = (change) => (Object.assign(pick, change), redraw());
  return h(
    "section",
    { class: "card-picker", key: "picker" },
    h(
      "p",
      { class: "picked", role: "status", "aria-label": pick.cards.map(cardText).join(" ") || t("no_cards_named") },
      Array.from({ length: count }, (_, i) => playingCard(pick.cards[i], { key: i })),
    ),
    h(
      "div",
      { class: "ranks", role: "group", "aria-label": t("card_rank") },
      RANKS.map((rank) =>
        key(rank, rankText(rank), pick.rank === rank, isFull, () => choose({ rank: pick.rank === rank ? null : rank })),
      ),
    ),
    h(
      "div",
      { class: "suits", role: "group", "aria-label": t("card_suit") },
      Object.entries(SUITS).map(([suit, sign]) =>
        key(suit, sign, null, isFull || !pick.rank || seen.has(pick.rank + suit), () =>
          choose({ cards: [...pick.cards, pick.rank + suit], rank: null }),
        ),
      ),
    ),
    h(
      "div",
      { class: "actions" },
      h(
        "button",
        {
          type: "button",
          key: "give",
          class: isFull ? "primary give" : "give",
          "aria-disabled": isFull && !busy ? null : "true",
          onclick: () => isFull && !busy && done(pick.cards),
        },
        label(pick.cards.map(cardText).join(" ")),
      ),
      h(
        "button",
        {
          type: "button",
          key: "clear",
          class: "clear",
          "aria-disabled": pick.cards.length || pick.rank ? null : "true",
          onclick: () => choose(newPick()),
        },
        t("start_over"),
      ),
    ),
  );
}

const key = (name, text, pressed, off, press) =>
  h(
    "button",
    {
      type: "button",
      key: name,
      class: `card-key${RED.test(name) ? " red" : ""}`,
      "data-key": name,
      "aria-pressed": pressed === null ? null : String(pressed),
      "aria-disabled": off ? "true" : null,
      onclick: () => !off && press(),
    },
    text,
  );
