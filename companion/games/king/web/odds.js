// What guesses and spaces are worth if nobody favors a space, and what a Double Bonus brings for its price.

import { h, unbroken } from "../../js/dom.js";
import { chance, decimals, t } from "../../js/page.js";
import { header, phasePill, start } from "../../js/shell.js";

const average = (line) => line.float * Number(line.pays);
const points = (value) => decimals(value, 2);

function table(title, first, lines, name) {
  const head = (text, kind = "num") => h("th", { scope: "col", class: kind }, text);
  const top = Math.max(...lines.map((line) => line.float), 0.01);
  return h(
    "section",
    { class: "panel", key: title },
    h("h2", {}, title),
    h(
      "table",
      { class: "odds-table" },
      h("thead", {}, h("tr", {}, head(first, ""), head(t("chance")), head(t("scores")), head(t("on_average")))),
      h(
        "tbody",
        {},
        lines.map((line) => row(line, top, name(line.on.split("/")[1]))),
      ),
    ),
  );
}

function row(line, top, name) {
  const bar = h("i", { style: { width: `${(100 * line.float) / top}%` } });
  return h(
    "tr",
    { key: line.on },
    h("th", { scope: "row" }, name, h("span", { class: "bar-line", "aria-hidden": "true" }, bar)),
    h("td", { class: "num", title: line.probability }, chance(line.float)),
    h("td", { class: "num" }, line.on === "king" ? "–" : line.pays),
    h("td", { class: "num" }, line.on === "king" ? "–" : points(average(line))),
  );
}

/** What a bonus adds on average, for a bettor and for the king's best guess. */
function bonus(guesses, spaces) {
  const best = guesses.reduce((one, two) => (average(two) > average(one) ? two : one));
  const bet = spaces.reduce((sum, line) => sum + average(line), 0);
  return h(
    "section",
    { class: "panel", key: "bonus" },
    h("h2", {}, t("bonus_worth")),
    h(
      "p",
      {},
      unbroken(t("bonus_adds", { bet: points(bet), king: points(average(best)), range: best.on.split("/")[1] })),
    ),
    h("p", {}, t("bonus_garnets")),
  );
}

function draw(page) {
  const odds = page.view.odds ?? [];
  const guesses = odds.filter((line) => line.on.startsWith("range/"));
  const spaces = odds.filter((line) => !line.on.startsWith("range/"));
  const spaceName = (what) => (what ? t("space_earns", { n: what }) : t("alone_on_king"));
  return [
    header(page, [phasePill(page.view)], ["/", "/history", "/dealer"]),
    h(
      "main",
      { id: "main", class: "plain odds", key: "main" },
      h("h1", {}, t("title_odds")),
      h("p", { class: "hint" }, t(odds.length === 0 ? "odds_too_few" : "odds_assumed")),
      odds.length > 0 &&
        h(
          "div",
          { class: "odds-grid", key: "all" },
          table(t("kings_guess"), t("others_earn"), guesses, (range) => range),
          table(t("a_bet"), t("pick_space"), spaces, spaceName),
          bonus(guesses, spaces),
        ),
    ),
  ];
}

start("room", draw);
