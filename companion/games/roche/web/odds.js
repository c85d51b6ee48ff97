// What every bet is worth now: bars and numbers, live.

import { h } from "../../js/dom.js";
import { suitEmblem } from "../../js/card.js";
import { oddsTable } from "../../js/odds_table.js";
import { suitName, t } from "../../js/page.js";
import { spotName, spotSuit } from "./spots.js";
import { header, phasePill, roundPill, start } from "../../js/shell.js";

const SINGLES = ["card", "terminus", "oscura"];

function draw(page) {
  const { view } = page;
  const odds = view.odds || [];
  const isDecided = view.phase === "settled"; // the odds are those of the next deal
  const how = { name: spotName, isClosed: !isDecided && view.phase !== "betting" };
  const top = Math.max(...odds.map((line) => line.float), 0.01);
  return [
    header(page, [roundPill(view), phasePill(view)], ["/", "/history", "/dealer"]),
    h(
      "main",
      { id: "main", class: "plain odds", key: "main" },
      h("h1", {}, t("odds_title")),
      h(
        "p",
        { class: "hint" },
        isDecided
          ? t("odds_decided", { suit: suitName(view.result.cut) })
          : [t("odds_hint"), " ", view.dealt.length ? t("odds_seen", { count: view.dealt.length }) : t("odds_start")],
      ),
      h(
        "div",
        { class: "odds-grid" },
        view.stacks.map((stack) => suit(isDecided ? { ...stack, count: 0 } : stack, odds, top, how)),
      ),
      odds.some((line) => line.on === "cavalry") &&
        h(
          "section",
          { class: "panel", key: "cavalry" },
          h("h2", {}, t("kind_cavalry")),
          oddsTable(
            odds.filter((line) => line.on === "cavalry"),
            top,
            how,
          ),
        ),
    ),
  ];
}

function suit(stack, odds, top, how) {
  const own = odds.filter((line) => spotSuit(line.on) === stack.suit);
  const singles = own.filter((line) => SINGLES.includes(line.on.split("/")[0]));
  return h(
    "section",
    { class: "panel", key: stack.suit, "data-suit": stack.suit },
    h(
      "h2",
      {},
      suitEmblem(stack.suit),
      suitName(stack.suit),
      h("small", {}, t("count_of", { count: stack.count, of: stack.cut_at })),
    ),
    oddsTable(
      own.filter((line) => !singles.includes(line)),
      top,
      how,
    ),
    singles.length > 0 &&
      h("details", {}, h("summary", {}, t("odds_more", { suit: suitName(stack.suit) })), oddsTable(singles, top, how)),
  );
}

start("room", draw);
