// What to pay after a spin, each bet with its reasons.

import { h } from "../../js/dom.js";
import { bet, rulings, sumOf, told } from "../../js/explain.js";
import { number, t } from "../../js/page.js";
import { byPlayer, isWon, winText } from "../../js/sums.js";
import { pocketName, spotName } from "./spots.js";

const BESIDES = ["released", "surrender"];

/** The pay-out list of the last spin. */
export function payouts(view, redraw) {
  if (!view.result) return null;
  const lines = view.settled.map((line, at) => ({ ...line, at, edge: edgeOf(line, view) }));
  return h(
    "section",
    { class: "panel payouts", key: "payouts" },
    h("h2", {}, pocketName(view.result.pocket)),
    lines.length === 0 && h("p", { class: "hint" }, t("nobody_bet")),
    h(
      "ul",
      { class: "paid" },
      byPlayer(lines).map((one) => [
        sumOf(one),
        one.lines.map((line) => bet(line, line.at, spotName, reasons(line), view, redraw, one.wins > 1)),
      ]),
    ),
    prisoners(view),
  );
}

/** Who sits in prison since the spin. */
const prisoners = (view) =>
  view.imprisoned.length > 0 &&
  h(
    "p",
    { class: "prisoners", key: "prison" },
    h("strong", {}, t("in_prison")),
    " ",
    view.imprisoned.map((one) => `${one.player}: ${number(one.amount)}, ${spotName(one.on)}`).join(" · "),
  );

/** What the house keeps: the zeros, of even-money bets only half where a zero leaves the other half. */
function edgeOf(line, view) {
  const zeros = view.wheel === "american" ? 2 : 1;
  return (zeros / (36 + zeros)) * (kindOf(line) in EVEN && view.zero_rule !== "none" ? 0.5 : 1);
}

const kindOf = (line) => line.on.split("/")[0];

function reasons(line) {
  const kind = kindOf(line);
  const isBeside = BESIDES.includes(line.outcome);
  return [
    told([
      t(`rule_${kind in EVEN ? "even_money" : kind}`),
      t("ex_pays", { price: line.pays }),
      isBeside && t(`ex_${line.outcome}`, { stake: line.amount, returned: line.returned }),
      isWon(line) && winText(line),
      !isWon(line) && !isBeside && t("ex_lost", { stake: line.amount }),
    ]),
    isBeside && rulings(["zero"]),
  ];
}

const EVEN = { red: 1, black: 1, odd: 1, even: 1, low: 1, high: 1 };
