// The card of basic strategy for the rules in force: what to do with each hand against each of the dealer's cards.

import { h } from "../../js/dom.js";
import { data, decimals, t } from "../../js/page.js";

const letter = (action) => data.strategy.legend[action].split(" = ")[0];

/** A capital, and a small letter for what to do where that cannot be done. */
const letters = ([first, otherwise]) => letter(first) + (otherwise ? letter(otherwise).toLowerCase() : "");

/** The card as tables; letters tell the actions apart, colors only help. */
export function strategyCard() {
  const card = data.strategy;
  return h(
    "div",
    { class: "strategy", key: "strategy" },
    h("p", { class: "hint" }, card.rules),
    h(
      "ul",
      { class: "legend" },
      Object.entries(card.legend).map(([action, words]) => h("li", { key: action, class: `act-${action}` }, words)),
    ),
    h(
      "div",
      { class: "strategy-parts" },
      card.parts.map((part) => table(part, card.heads)),
    ),
    h("p", { class: "hint" }, card.notes.join(" ")),
    h("p", { class: "hint" }, t("strategy_edge", { edge: percent(card.edge) })),
  );
}

/** A share as per cent with two decimals. */
export const percent = (share) => decimals(100 * share, 2).replace("-", "−");

const table = (part, heads) =>
  h(
    "table",
    { key: part.title },
    h("caption", {}, part.title),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, h("span", { class: "quiet" }, t("your_hand"))),
        heads.map((head) => h("th", { scope: "col", key: head }, head)),
      ),
    ),
    h(
      "tbody",
      {},
      part.rows.map((row) =>
        h(
          "tr",
          { key: row.label },
          h("th", { scope: "row" }, row.label),
          row.cells.map((cell, i) =>
            h("td", { key: i, class: `act-${cell[0]}` }, h("abbr", { title: said(cell) }, letters(cell))),
          ),
        ),
      ),
    ),
  );

/** An action, and what to do where it cannot be done. */
export const said = ([first, otherwise]) =>
  otherwise ? t("first_or", { first: t(`do_${first}`), other: t(`do_${otherwise}`) }) : t(`do_${first}`);
