// Why nothing can be saved, and the owner's way out where the journal has lost something.

import * as dialog from "./dialog.js";
import { h } from "./dom.js";
import { t } from "./page.js";

/** @typedef {import("./types").RoomView} RoomView */

/** Say what is wrong with the journal; with a way to accept it, where a person can.
 * @param {RoomView} view
 * @param {function(): void} accept
 * @param {boolean} isBusy */
export function journalTrouble(view, accept, isBusy) {
  if (!view.trouble) return null;
  return h(
    "section",
    { class: "panel error journal-trouble", key: "trouble", role: "alert" },
    h("p", {}, view.trouble),
    view.journal?.can_accept &&
      h(
        "button",
        { type: "button", "aria-disabled": isBusy ? "true" : null, onclick: () => ask(view, accept) },
        t("accept_loss"),
      ),
  );
}

function ask(view, accept) {
  dialog.open(t("accept_loss_title"), () => [
    h("p", { key: "what" }, view.trouble),
    h("p", { class: "hint", key: "hint" }, t("accept_loss_hint")),
    h(
      "div",
      { class: "actions", key: "actions" },
      h("button", { type: "button", onclick: dialog.close }, t("cancel")),
      h(
        "button",
        { type: "button", class: "primary", id: "accept-loss", onclick: () => (dialog.close(), accept()) },
        t("accept_loss_do"),
      ),
    ),
  ]);
}
