// What a throw brought, each bet with its reasons.

import { h } from "../../js/dom.js";
import { bet, folded, rulings, told } from "../../js/explain.js";
import { t } from "../../js/page.js";
import { byPlayer, isWon, winText } from "../../js/sums.js";

const ONE_ROLL = ["center", "day", "night"];

/** Bets of House Rugen that are decided; `key` sets them apart from others. */
export function payouts(lines, title, nameOf, view, redraw, key = "paid") {
  const numbered = lines.map((line, i) => ({ ...line, is_won: isWon(line), at: i }));
  const one = (line) => bet(line, line.at, nameOf, reasons(line, view), view, redraw);
  return folded(
    title,
    key,
    h(
      "ul",
      { class: "paid" },
      byPlayer(numbered).map((player) => player.lines.map(one)),
    ),
  );
}

function reasons(line, view) {
  const kind = line.on.split("/")[0];
  const reading = kind.startsWith("chain-") && t(`reading_${view.chain_day_night}`);
  return [
    told([
      t(`rrule_${kind}`),
      reading,
      line.is_won && winText(line),
      !line.is_won && t("ex_lost", { stake: line.amount }),
    ]),
    rulings([ONE_ROLL.includes(kind) ? "rugen3" : "rugen4"]),
  ];
}
