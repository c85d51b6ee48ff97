// Rochi's and Captain's Rochi's table as the room sees it, live and in the history.

import { h } from "../../js/dom.js";
import { card, printedName } from "../../js/card.js";
import { cardName, suitName, t } from "../../js/page.js";
import { placeOf } from "../../js/pieces.js";
import { lastLaid, seats, stacks } from "./parts.js";

/** What lies on the table. */
export const board = (view) => stacks(view);

/** Who sits round it. */
export const around = (view) => seats(view);

/** The card that was laid last, large. */
export function lastCard(view) {
  const last = lastLaid(view);
  if (!last) return null;
  const stack = view.stacks.find((one) => one.suit === Number(last.id[0]));
  return h(
    "section",
    { class: "last-card", key: "last", "data-suit": last.id[0] },
    card(last.id, { key: last.id, class: "large", art: true }),
    h(
      "div",
      {},
      h("h2", { class: "label" }, t(`laid_${last.verb}`)),
      h("p", { class: "name" }, cardName(last.id)),
      h("p", { class: "printed-name" }, printedName(last.id)),
      h("p", { class: "hint" }, `${suitName(last.id[0])}: ${t("count_of", { count: stack.count, of: stack.cut_at })}`),
    ),
  );
}

/** A played card comes from the hand of whose turn it was, any other from the deck; coins from who pays. */
export const flights = (view, before) => ({
  originOf: (id) =>
    id[0] === "T" ? null : view.undoes?.do === "play" && before.turn ? `player/${before.turn}` : "deck",
  payments:
    view.seq === before.seq
      ? []
      : (view.payments || []).map((one) => ({ from: placeOf(one.from), to: placeOf(one.to), chips: one.chips })),
});
