// How large the room's screen writes. Sized for three metres as it is, for five and more with the switch; this screen
// remembers it.

import { h } from "./dom.js";
import { t } from "./page.js";

const root = document.documentElement;
const KEY = "large-type";

/** Write as this screen was last told to. */
export function useTypeSize() {
  if (localStorage.getItem(KEY) === "on") root.dataset.type = "large";
}

/** The switch. */
export const typeButton = (redraw) =>
  h(
    "button",
    {
      type: "button",
      class: "icon type-size",
      key: "type",
      "aria-label": t("large_type"),
      "aria-pressed": String(isLarge()),
      title: t("large_type"),
      onclick: () => (turn(), redraw()),
    },
    h("span", { "aria-hidden": "true" }, "A"),
  );

const isLarge = () => root.dataset.type === "large";

function turn() {
  if (isLarge()) delete root.dataset.type;
  else root.dataset.type = "large";
  localStorage.setItem(KEY, isLarge() ? "on" : "off");
}
