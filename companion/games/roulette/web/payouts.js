// What a spin brought, each bet with its reasons.

import { h } from "../../js/dom.js";
import { bet, folded, rulings, told } from "../../js/explain.js";
import { number, t } from "../../js/page.js";
import { byPlayer, isWon, winText } from "../../js/sums.js";
import { pocketName, spotName } from "./spots.js";

const BESIDES = ["released", "surrender"];

/** The bets of the last spin; the pay sheet says what to do. */
export function payouts(view, redraw) {
  if (!view.result) return null;
  const lines = view.settled.map((line, at) => ({ ...line, at, edge: edgeOf(line, view) }));
  const one = (line) => bet(line, line.at, spotName, reasons(line), view, redraw);
  return [
    lines.length + view.imprisoned.length === 0 && h("p", { class: "panel hint", key: "none" }, t("nobody_bet")),
    lines.length > 0 &&
      folded(
        `${pocketName(view.result.pocket)} · ${t("pay_why")}`,
        "payouts",
        h(
          "ul",
          { class: "paid" },
          byPlayer(lines).map((player) => player.lines.map(one)),
        ),
      ),
    prisoners(view),
  ];
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
