// What both sides of a round are worth now.

import { h } from "../../js/dom.js";
import { oddsTable } from "../../js/odds_table.js";
import { t } from "../../js/page.js";
import { header, phasePill, start } from "../../js/shell.js";
import { sideName } from "./parts.js";

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
      odds.length > 0 &&
        h("section", { class: "panel", key: "odds" }, oddsTable(odds, top, { name: sideName }), note()),
    ),
  ];
}

const note = () => h("p", { class: "hint", key: "note" }, t("odds_sides"));

start("room", draw);
