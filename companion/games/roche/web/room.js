// Roche's table as the room sees it: the layout while bets are open, else the stacks. Shown live and in the history.

import { h } from "../../js/dom.js";
import { people } from "../../js/aside.js";
import { card, printedName } from "../../js/card.js";
import { betsInWords, closedLegend } from "../../js/felt_svg.js";
import { cardName, t } from "../../js/page.js";
import { spotName } from "./spots.js";
import { rocheFelt } from "./layout.js";
import { phaseOf } from "../../js/shell.js";
import { layoutRows, stacks } from "./stacks.js";

/** On a narrow window the layout is a row for each suit. */
export const narrow = matchMedia("(max-width: 43.75em)");

/** What lies on the table. */
export const board = (view) => (phaseOf(view) === "betting" ? layout(view) : stacks(view));

/** Who sits round it, and the bank. */
export const around = (view) => people(view);

/** New cards come from the card that is shown large. */
export const flights = () => ({ originOf: () => "last" });

// While bets are open the stacks are empty: the room sees the layout, large, with every chip on its spot.
const layout = (view) =>
  h(
    "section",
    { class: "layout", key: "layout", "aria-label": t("bets") },
    narrow.matches ? layoutRows(view) : rocheFelt(view),
    closedLegend(view),
    betsInWords(view.bets, spotName),
  );

/** The card that was dealt last, large. */
export function lastCard(view) {
  const burned = view.burned > 0 && h("p", { class: "hint" }, t("burned", { count: view.burned }));
  if (!view.last) return burned && h("section", { class: "last-card", key: "last" }, burned);
  const stack = view.stacks.find((one) => one.suit === Number(view.last[0]));
  return h(
    "section",
    { class: "last-card", key: "last", "data-suit": view.last[0], "data-place": "last" },
    card(view.last, { key: view.last, class: "large", art: true }),
    h(
      "div",
      {},
      h("h2", { class: "label" }, t("last_card")),
      h("p", { class: "name" }, cardName(view.last)),
      h("p", { class: "printed-name" }, printedName(view.last)),
      h("p", { class: "hint" }, `${stack.name}: ${t("count_of", { count: stack.count, of: stack.cut_at })}`),
      burned,
    ),
  );
}
