// Who pays whom, each line with its reason.

import { h } from "../../js/dom.js";
import { ask, folded, pictures, rulings } from "../../js/explain.js";
import { t } from "../../js/page.js";
import { coinRow, route } from "../../js/pieces.js";

/** The list of payments. */
export function payments(view, redraw) {
  if (!view.payments?.length) return null;
  const line = (one, i) =>
    h(
      "li",
      { key: i },
      h(
        "details",
        { ontoggle: (event) => event.target.open && ask(view, redraw) },
        h("summary", {}, route(one), coinRow(one.coins, one.chips), h("span", { class: "why" }, t("explain"))),
        h(
          "div",
          { class: "explained" },
          h("p", {}, t("ex_because", { why: one.why })),
          rulings(rulingOf(one)),
          pictures(view),
        ),
      ),
    );
  return folded(t("pay_why_coins"), "payments", h("ul", { class: "payments" }, view.payments.map(line)));
}

// By the keys of the reasons, which are the same in every language.
const RULINGS = {
  "penalty, {suit} cut": "rochi6",
  "wins the pot of {suit}": "rochi5",
  "buys {suit}": "rochi3",
  "joining fee": "rochi10",
};

function rulingOf(one) {
  if (RULINGS[one.reason]) return [RULINGS[one.reason]];
  return one.from.startsWith("pot/") ? ["rochi5"] : [];
}
