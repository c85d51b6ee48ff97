// What to pay after a cut, each bet with its reasons.

import { h } from "../../js/dom.js";
import { suitEmblem } from "../../js/card.js";
import { bet, rulings, sumOf, told } from "../../js/explain.js";
import { cardName, t } from "../../js/page.js";
import { spotName } from "./spots.js";
import { byPlayer } from "../../js/sums.js";

/** The pay-out list of the last result. */
export function payouts(view, redraw) {
  if (!view.result) return null;
  return h(
    "section",
    { class: "panel payouts", key: "payouts", "data-suit": view.result.cut },
    h("h2", {}, suitEmblem(view.result.cut), t("result")),
    view.settled.length === 0 && h("p", { class: "hint" }, t("nobody_bet")),
    h(
      "ul",
      { class: "paid" },
      byPlayer(view.settled).map((one) => [
        sumOf(one),
        one.lines.map((line) =>
          bet(line, `${line.player}/${line.on}`, spotName, reasons(line, view), view, redraw, one.wins > 1),
        ),
      ]),
    ),
  );
}

function reasons(line, view) {
  const kind = line.on.split("/")[0];
  const [win, per] = line.pays.split(":").map(Number);
  const idle = line.amount % per;
  return [
    told([
      t(`rule_${kind}`),
      t("ex_price", { price: line.pays, win, per }),
      line.is_won
        ? t("ex_won", {
            stake: line.amount,
            times: Math.floor(line.amount / per),
            win,
            won: line.won,
            total: line.won + line.amount,
          })
        : t("ex_lost", { stake: line.amount }),
      line.is_won && idle > 0 && t("ex_idle", { idle, per }),
      t("ex_cards", { cards: view.result.included.map(cardName).join(", ") }),
    ]),
    rulings([kind === "cut" ? "roche1" : "roche3", ...(per > 1 ? ["roche2"] : [])]),
  ];
}
