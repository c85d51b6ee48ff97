// A meter of a picture: what is measured, its grade, and how full its gauge is.

import { h } from "./dom.js";
import { t } from "./page.js";

/** One meter of a list; `said` is the value with its unit in words, `hint` what stands below. */
export const meter = (key, grade, said, value, full, hint = null) =>
  h(
    "li",
    { key, class: `meter ${grade}` },
    h("span", {}, t(`meter_${key}`)),
    h("b", {}, said),
    h("span", { class: "grade" }, t(`grade_${grade}`)),
    h(
      "i",
      { class: "gauge", "aria-hidden": "true" },
      h("i", { style: { width: `${Math.min(100, (100 * value) / full)}%` } }),
    ),
    hint,
  );
