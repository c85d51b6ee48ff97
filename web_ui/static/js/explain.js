// Why a settled bet paid what it paid: price, stake, rule, cards.

import { h } from "./dom.js";
import { suitEmblem } from "./card.js";
import { cardName, spotName, t } from "./page.js";

/** The pay-out list of the last result. */
export function payouts(view) {
  if (!view.result) return null;
  const lines = [...view.settled].sort((a, b) => b.is_won - a.is_won || b.won - a.won);
  return h(
    "section",
    { class: "panel payouts", key: "payouts", "data-suit": view.result.cut },
    h("h2", {}, suitEmblem(view.result.cut), t("result")),
    lines.length === 0 && h("p", { class: "hint" }, t("nobody_bet")),
    h("ul", { class: "paid" }, lines.map((line) => one(line, view.result))),
  );
}

function one(line, result) {
  return h(
    "li",
    { key: `${line.player}/${line.on}`, class: line.is_won ? "won" : "lost" },
    h(
      "details",
      {},
      h("summary", { "aria-label": `${line.player}, ${spotName(line.on)}: ${amount(line)}. ${t("explain")}` }, h("span", { class: "who" }, line.player), h("span", { class: "on" }, spotName(line.on)), h("b", {}, amount(line)), h("span", { class: "why" }, t("explain"))),
      h("div", { class: "explained" }, reasons(line, result).map((text) => h("p", {}, text))),
    ),
  );
}

const amount = (line) => (line.is_won ? t("paid_won", { won: line.won }) : t("paid_lost", { amount: line.amount }));

function reasons(line, result) {
  const [win, per] = line.pays.split(":").map(Number);
  const idle = line.amount % per;
  return [
    t(`rule_${line.on.split("/")[0]}`),
    t("ex_price", { price: line.pays, win, per }),
    line.is_won ? t("ex_won", { stake: line.amount, times: Math.floor(line.amount / per), win, won: line.won }) : t("ex_lost", { stake: line.amount }),
    line.is_won && idle > 0 ? t("ex_idle", { idle, per }) : null,
    t("ex_cards", { cards: result.included.map(cardName).join(", ") }),
  ].filter(Boolean);
}
