// At the end of the evening: who pays whom. The summary shows the same (templates/_settle_up.html).

import { h } from "./dom.js";
import * as dialog from "./dialog.js";
import { data, has, t } from "./page.js";
import { coinRow, route } from "./pieces.js";

/** Whether anybody owes anything. Coins from the house's purses go back there, and nobody pays anybody else. */
export const isOwed = (view) => view.settle_up?.length > 0 && !data.purses;

/** Show the payments after which everybody is even. */
export const settleUp = (view) =>
  dialog.open(t("settle_up"), () => [
    potsHint(view),
    h(
      "ul",
      { class: "settle", key: "payments" },
      view.settle_up.map((one, i) => h("li", { key: i }, route(one), coinRow(one.coins))),
    ),
  ]);

/** Coins in pots are nobody's yet; a game may have its own words for how they are shared out. */
function potsHint(view) {
  const count = view.settle_up.filter((one) => one.to === "pots").reduce((sum, one) => sum + one.coins, 0);
  const own = `settle_pots_${view.game}`;
  return count > 0 && h("p", { key: "pots", class: "hint" }, t(has(own) ? own : "settle_pots", { count }));
}
