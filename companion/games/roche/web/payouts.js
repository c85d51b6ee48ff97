// What a cut brought, each bet with its reasons.

import { h } from "../../js/dom.js";
import { suitEmblem } from "../../js/card.js";
import { bet, folded, rulings, told } from "../../js/explain.js";
import { cardName, priceText, t } from "../../js/page.js";
import { spotName } from "./spots.js";
import { byPlayer } from "../../js/sums.js";

/** The bets of the last result; the pay sheet says what to do. */
export function payouts(view, redraw) {
  if (!view.result) return null;
  if (view.settled.length === 0) return h("p", { class: "panel hint", key: "payouts" }, t("nobody_bet"));
  const one = (line) => bet(line, `${line.player}/${line.on}`, spotName, reasons(line, view), view, redraw);
  return folded(
    [suitEmblem(view.result.cut), t("pay_why")],
    "payouts",
    h(
      "ul",
      { class: "paid" },
      byPlayer(view.settled).map((player) => player.lines.map(one)),
    ),
    { "data-suit": view.result.cut },
  );
}

function reasons(line, view) {
  const kind = line.on.split("/")[0];
  const [win, per] = line.pays.split(":").map(Number);
  const idle = line.amount % per;
  return [
    told([
      t(`rule_${kind}`),
      t("ex_price", { price: priceText(line.pays), win, per }),
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
