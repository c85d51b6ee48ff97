// The odds of blackjack: of the hand to act, of a new round, and the card of basic strategy.

import { h } from "../../js/dom.js";
import { oddsTable } from "../../js/odds_table.js";
import { t } from "../../js/page.js";
import { header, phasePill, start } from "../../js/shell.js";
import { liveOdds, shoe } from "./live.js";
import { spotName } from "./parts.js";
import { percent, strategyCard } from "./strategy.js";

const draw = (now) => [
  header(now, [phasePill(now.view)], ["/", "/history", "/dealer"]),
  h(
    "main",
    { id: "main", class: "plain odds bj-odds", key: "main" },
    h("h1", {}, t("odds_title")),
    h(
      "div",
      { class: "odds-grid", key: "odds" },
      liveOdds("room", now.view, () => page?.redraw()),
      h("section", { class: "panel", key: "round" }, h("h2", {}, t("new_round")), bets(now.view.odds)),
      shoe(now.view),
    ),
    h("section", { class: "panel", key: "card" }, h("h2", {}, t("strategy")), strategyCard()),
  ),
];

const bets = (odds) => [
  oddsTable(odds, Math.max(...odds.map((line) => line.float)), { name: spotName }),
  h("p", { class: "hint", key: "best" }, t("odds_best_play", { edge: percent(odds[0].edge) })),
];

let page = null;
page = start("room", draw);
