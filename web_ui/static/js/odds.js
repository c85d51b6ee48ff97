// What every bet is worth now: bars and numbers, live.

import { h } from "./dom.js";
import { suitEmblem } from "./card.js";
import { chance, spotName, spotSuit, suitName, t } from "./page.js";
import { header, phasePill, roundPill, start } from "./shell.js";

const SINGLES = ["card", "terminus", "oscura"];

function draw(page) {
  const { view } = page;
  const odds = view.odds || [];
  const top = Math.max(...odds.map((line) => line.float), 0.01);
  return [
    header(page, [roundPill(view), phasePill(view)], ["/", "/history", "/dealer"]),
    h(
      "main",
      { id: "main", class: "plain odds", key: "main" },
      h("h1", {}, t("odds_title")),
      h("p", { class: "hint" }, t("odds_hint"), " ", view.dealt.length ? t("odds_seen", { count: view.dealt.length }) : t("odds_start")),
      h("div", { class: "odds-grid" }, view.stacks.map((stack) => suit(stack, odds, top))),
      odds.some((line) => line.on === "cavalry") && h("section", { class: "panel", key: "cavalry" }, h("h2", {}, t("kind_cavalry")), table(odds.filter((line) => line.on === "cavalry"), top)),
    ),
  ];
}

function suit(stack, odds, top) {
  const own = odds.filter((line) => spotSuit(line.on) === stack.suit);
  const singles = own.filter((line) => SINGLES.includes(line.on.split("/")[0]));
  return h(
    "section",
    { class: "panel", key: stack.suit, "data-suit": stack.suit },
    h("h2", {}, suitEmblem(stack.suit), suitName(stack.suit), h("small", {}, t("count_of", { count: stack.count, of: stack.cut_at }))),
    table(own.filter((line) => !singles.includes(line)), top),
    singles.length > 0 && h("details", {}, h("summary", {}, t("odds_more", { suit: suitName(stack.suit) })), table(singles, top)),
  );
}

function table(lines, top) {
  return h(
    "table",
    { class: "odds-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("bet")), h("th", { scope: "col", class: "num" }, t("chance")), h("th", { scope: "col", class: "num" }, t("price")), h("th", { scope: "col", class: "num" }, t("edge")))),
    h("tbody", {}, lines.map((line) => row(line, top))),
  );
}

function row(line, top) {
  const edge = `${(line.edge * 100).toFixed(1)}\u00a0%`.replace("-", "−");
  return h(
    "tr",
    { key: line.on },
    h("th", { scope: "row" }, spotName(line.on), h("span", { class: "bar-line", "aria-hidden": "true" }, h("i", { style: { width: `${(100 * line.float) / top}%` } }))),
    h("td", { class: "num", title: line.probability }, chance(line.float)),
    h("td", { class: "num" }, line.pays),
    h("td", { class: `num${line.edge < 0 ? " good" : ""}` }, edge),
  );
}

start("room", draw);
