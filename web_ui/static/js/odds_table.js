// Odds as a table with bars.

import { h } from "./dom.js";
import { chance, decimals, priceText, t } from "./page.js";
import { header, phasePill } from "./shell.js";

/**
 * Bets with chance, price and edge.
 * @param {Array} lines the view's odds
 * @param {number} top the chance whose bar is full
 * @param {object} how name(on): a bet in words; isClosed: nobody can bet any more, so that the house's edge on a new bet
 *   says nothing; what a coin that lies there is worth does
 */
export function oddsTable(lines, top, { name = (on) => on, isClosed = false } = {}) {
  return h(
    "table",
    { class: "odds-table" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, t("bet")),
        h("th", { scope: "col", class: "num" }, t("chance")),
        h("th", { scope: "col", class: "num" }, t("price")),
        h("th", { scope: "col", class: "num" }, t(isClosed ? "coin_worth" : "edge")),
      ),
    ),
    h(
      "tbody",
      {},
      lines.map((line) => row(line, top, { name, isClosed })),
    ),
  );
}

function row(line, top, { name, isClosed }) {
  return h(
    "tr",
    { key: line.on },
    h(
      "th",
      { scope: "row" },
      name(line.on),
      h(
        "span",
        { class: "bar-line", "aria-hidden": "true" },
        h("i", { style: { width: `${(100 * line.float) / top}%` } }),
      ),
    ),
    h("td", { class: "num", title: line.probability }, chance(line.float)),
    h("td", { class: "num" }, pays(line.pays)),
    h("td", { class: `num${line.edge < 0 ? " good" : ""}` }, isClosed ? worth(line.edge) : edge(line.edge)),
  );
}

const edge = (share) => (share == null ? "–" : `${decimals(share * 100, 1)}\u00a0%`.replace("-", "−"));
const worth = (share) => (share == null ? "–" : decimals(1 - share, 2));

/** A price, or day and night prices where they differ: "7:3 / 6:3". */
const pays = (price) => (Array.isArray(price) ? price.map((one) => one.pays).join(" / ") : priceText(price));

/** The whole odds page of a game with one table; a line where it has no odds. `note` stands below the table. */
export function oddsPage(page, { name, note = null }) {
  const { view } = page;
  const odds = view.odds ?? [];
  const top = Math.max(...odds.map((line) => line.float), 0.01);
  return [
    header(page, [phasePill(view)], ["/", "/history", "/dealer"]),
    h(
      "main",
      { id: "main", class: "plain odds", key: "main" },
      h("h1", {}, t("odds_title")),
      odds.length === 0 && h("p", { class: "hint" }, t("odds_none")),
      odds.length > 0 && h("section", { class: "panel", key: "odds" }, oddsTable(odds, top, { name }), note),
    ),
  ];
}
