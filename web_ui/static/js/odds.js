// What every bet is worth now, for a game that has no odds page of its own: one table, or a line where it has no odds.

import { h } from "./dom.js";
import { oddsTable } from "./odds_table.js";
import { t } from "./page.js";
import { spotName } from "./plain.js";
import { header, phasePill, start } from "./shell.js";

function draw(page) {
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
      odds.length > 0 && h("section", { class: "panel", key: "odds" }, oddsTable(odds, top, { name: spotName })),
    ),
  ];
}

start("room", draw);
