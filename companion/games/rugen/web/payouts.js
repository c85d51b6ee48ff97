// What to pay after a throw, each bet with its reasons.

import { h } from "../../js/dom.js";
import { bet, rulings, sumOf, told } from "../../js/explain.js";
import { t } from "../../js/page.js";
import { byPlayer, isWon, winText } from "../../js/sums.js";

const ONE_ROLL = ["center", "day", "night"];

/** A pay-out list of House Rugen; `key` sets it apart from another one. */
export function payouts(lines, title, nameOf, view, redraw, key = "paid") {
  const numbered = lines.map((line, i) => ({ ...line, is_won: isWon(line), is_paid: key !== "paid", at: i }));
  return h(
    "section",
    { class: "panel payouts", key },
    h("h2", {}, title),
    h(
      "ul",
      { class: "paid" },
      byPlayer(numbered).map((one) => [
        key === "paid" && sumOf(one),
        one.lines.map((line) =>
          bet(line, line.at, nameOf, reasons(line, view), view, redraw, key === "paid" && one.wins > 1),
        ),
      ]),
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
