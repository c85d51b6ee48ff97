// Who pays whom, each line with its reason.

import { h } from "../../js/dom.js";
import { ask, pictures, rulings } from "../../js/explain.js";
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
  return h(
    "section",
    { class: "panel payments", key: "payments" },
    h("h2", {}, t("payments")),
    h("ul", {}, view.payments.map(line)),
  );
}

// The journal's reasons are English; what kind of payment it is shows from who pays whom as well.
function rulingOf(one) {
  if (/^penalty/.test(one.reason ?? one.why)) return ["rochi6"];
  if (one.from.startsWith("pot/")) return ["rochi5"];
  return /^buys/.test(one.reason ?? one.why) ? ["rochi3"] : /fee/.test(one.reason ?? one.why) ? ["rochi10"] : [];
}
