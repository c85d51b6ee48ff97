// What every bet of the layout is worth, and what the wheel has shown. Bets of a kind are worth the same.

import { h } from "../../js/dom.js";
import { oddsTable } from "../../js/odds_table.js";
import { t } from "../../js/page.js";
import { header, phasePill, start } from "../../js/shell.js";
import { hotNumbers, lastNumbers, wheelTest } from "./numbers.js";

const EVEN = new Set(["red", "black", "odd", "even", "low", "high"]);
const kindOf = (on) => (EVEN.has(on) ? "even_money" : on.split("/")[0]);

/** The first bet of each kind. */
const kinds = (odds) => [...new Map(odds.map((line) => [kindOf(line.on), { ...line, on: kindOf(line.on) }])).values()];

function draw(page) {
  const { view } = page;
  const lines = kinds(view.odds ?? []);
  return [
    header(page, [phasePill(view)], ["/", "/history", "/dealer"]),
    h(
      "main",
      { id: "main", class: "plain odds", key: "main" },
      h("h1", {}, t("odds_title")),
      h("p", { class: "hint" }, t(`odds_${view.wheel}`), " ", t(`odds_zero_${view.zero_rule}`)),
      lines.length === 0
        ? h("p", { class: "panel", key: "none" }, t("odds_none"))
        : h("section", { class: "panel", key: "odds" }, oddsTable(lines, 0.5, { name: (kind) => t(`kind_${kind}`) })),
      h("section", { class: "panel", key: "came" }, lastNumbers(view), hotNumbers(view), wheelTest(view)),
    ),
  ];
}

start("room", draw);
