// The numbers that came: the latest, the hottest, and what they say about the wheel.

import { h } from "../../js/dom.js";
import { number, t } from "../../js/page.js";
import { colorOf, pocketName } from "./spots.js";

/** A pocket as a sign in its color. */
export const sign = (pocket, more = null, props = {}) =>
  h("li", { ...props, class: `pocket-sign ${colorOf(pocket)}`, "aria-label": pocketName(pocket) }, pocket, more);

/** The latest numbers, the newest first. */
export const lastNumbers = (view) =>
  h(
    "section",
    { class: "numbers-came", key: "last" },
    h("h2", { class: "label" }, t("last_numbers")),
    view.last.length === 0 && h("p", { class: "hint" }, t("no_spin_yet")),
    h(
      "ol",
      {},
      view.last.map((pocket, i) => sign(pocket, null, { key: view.rounds - i })),
    ),
  );

/** The numbers that came most often. */
export const hotNumbers = (view) =>
  view.hot.length > 0 &&
  h(
    "section",
    { class: "numbers-came hot", key: "hot" },
    h("h2", { class: "label" }, t("hot_numbers")),
    h(
      "ol",
      {},
      view.hot.map(({ pocket, count }) => sign(pocket, h("small", {}, `×${number(count)}`), { key: pocket })),
    ),
  );

/** Whether the wheel is fair. */
export const wheelTest = (view) => h("p", { class: "hint wheel-test", key: "test" }, view.wheel_test.verdict);
