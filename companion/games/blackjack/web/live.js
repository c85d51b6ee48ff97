// The odds of the hand to act, and what is left in the shoe where the house shows it.

import { adviceFor } from "../../js/advice.js";
import { h } from "../../js/dom.js";
import { chance, decimals, number, t } from "../../js/page.js";

const OUTCOMES = ["17", "18", "19", "20", "21", "blackjack", "bust"];
const coins = (worth) => `${worth < 0 ? "−" : "+"}${decimals(Math.abs(worth), 3)}`;
const head = (text, kind = "num") => h("th", { scope: "col", class: kind }, text);

/** What the hand to act can do, the best first; a line where nobody decides. */
export function liveOdds(viewer, view, redraw) {
  const advice = adviceFor(viewer, view, redraw);
  return h(
    "section",
    { class: "panel live-odds", key: "live" },
    h("h2", {}, advice.choices ? t("live_title", { player: advice.player, n: advice.hand }) : t("live_odds")),
    advice.choices
      ? [
          table(advice.choices),
          dealerLine(advice.dealer),
          insuranceLine(advice.insurance),
          h("p", { class: "hint" }, t("live_known")),
        ]
      : h("p", { class: "hint" }, t(view.hints === false && viewer !== "dealer" ? "live_off" : "live_none")),
  );
}

const table = (choices) =>
  h(
    "table",
    { class: "odds-table", key: "choices" },
    h("thead", {}, h("tr", {}, head(t("action"), ""), head(t("worth")), head(t("wins")), head(t("pushes")))),
    h(
      "tbody",
      {},
      choices.map((one, i) =>
        h(
          "tr",
          { key: one.do },
          h("th", { scope: "row" }, t(`do_${one.do}`), i === 0 && h("span", { class: "tag strong" }, t("best"))),
          h("td", { class: "num" }, coins(one.coins)),
          h("td", { class: "num" }, chance(one.win)),
          h("td", { class: "num" }, chance(one.push)),
        ),
      ),
    ),
  );

const dealerLine = (ends) =>
  h(
    "p",
    { key: "dealer", class: "dealer-ends" },
    h("b", {}, t("dealer_ends")),
    " ",
    OUTCOMES.filter((end) => ends[end] > 0)
      .map((end) => `${end.length > 2 ? t(`hand_${end}`) : end}: ${chance(ends[end])}`)
      .join(" · "),
  );

const insuranceLine = (worth) =>
  worth !== null && h("p", { key: "insurance" }, t("insurance_worth", { coins: coins(worth) }));

/** What is left in the shoe, where the house shows it. */
export const shoe = (view) =>
  view.chances.length > 0 &&
  h(
    "section",
    { class: "panel shoe-left", key: "shoe" },
    h("h2", {}, t("next_card")),
    h(
      "table",
      { class: "odds-table" },
      h("thead", {}, h("tr", {}, head(t("rank"), ""), head(t("left_in_shoe")), head(t("chance")))),
      h(
        "tbody",
        {},
        view.chances.map((one) =>
          h(
            "tr",
            { key: one.card },
            h("th", { scope: "row" }, one.card === "10" ? t("ten_values") : one.card),
            h("td", { class: "num" }, number(one.left)),
            h("td", { class: "num" }, chance(one.float)),
          ),
        ),
      ),
    ),
    h("p", { class: "hint" }, t("shoe_known")),
  );
