// What every bet of a Rugen table is worth now: bars and numbers, live.

import { h } from "../../js/dom.js";
import { t } from "../../js/page.js";
import { chainStrip, NUMBERS, spotName } from "./parts.js";
import { oddsTable } from "../../js/odds_table.js";
import { header, phasePill, start } from "../../js/shell.js";

function draw(page) {
  const { view } = page;
  const odds = view.odds || [];
  return [
    header(page, [phasePill(view)], ["/", "/history", "/dealer"]),
    h(
      "main",
      { id: "main", class: "plain odds", key: "main" },
      h("h1", {}, t("odds_title")),
      h(
        "p",
        { class: "hint" },
        view.chain.length ? t("odds_chain", { count: view.chain.length }) : t("odds_chain_start"),
      ),
      view.chain.length > 0 && chainStrip(view.chain),
      odds.length === 0 && h("p", { class: "panel", key: "none" }, t("odds_none")),
      odds.length > 0 &&
        (view.game === "rugen-house"
          ? house(view, odds)
          : h(
              "section",
              { class: "panel", key: "take" },
              oddsTable(odds, Math.max(...odds.map((line) => line.float), 0.01), { name: takeName }),
            )),
      view.game === "rugen-house" && h("p", { class: "hint", key: "reading" }, t(`reading_${view.chain_day_night}`)),
    ),
  ];
}

const takeName = (on) => t("number_n", { n: Number(on.split("/")[1]) });

// One-roll bets and chain bets are never compared by one bar: they are decided by other throws.
function house(view, odds) {
  return h(
    "div",
    { class: "odds-grid", key: "grid" },
    NUMBERS.map((n) => {
      const own = odds.filter((line) => line.on.endsWith(`/${n}`));
      const chain = own.filter((line) => line.on.startsWith("chain"));
      const { count } = view.spaces[n - 1];
      const top = (lines) => Math.max(...lines.map((line) => line.float), 0.01);
      return h(
        "section",
        { class: "panel", key: n },
        h("h2", {}, t("number_n", { n }), h("small", {}, t("count_of", { count, of: n }))),
        h("h3", {}, t("odds_throw")),
        oddsTable(
          own.filter((line) => !chain.includes(line)),
          top(odds.filter((line) => !line.on.startsWith("chain"))),
          { name: spotName },
        ),
        h("h3", {}, t("odds_chain_bets")),
        oddsTable(chain, top(odds.filter((line) => line.on.startsWith("chain"))), { name: spotName }),
      );
    }),
  );
}

start("room", draw);
