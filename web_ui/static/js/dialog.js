// One dialog at a time, over the page; Escape closes it.

import { h, render } from "./dom.js";
import { t } from "./page.js";

const MESSAGES = "#toasts"; // see toast in shell.js
let box = null;
let content = null;

/** Show a dialog; `draw` returns its content. Returns a function that closes it. */
export function open(title, draw) {
  close();
  const own = document.createElement("dialog");
  box = own;
  box.setAttribute("aria-label", title);
  document.body.append(box);
  box.addEventListener("close", () => box === own && close()); // comes late: another may be open by then
  box.addEventListener("click", (event) => event.target === box && close());
  const cross = h("button", { type: "button", class: "icon", "aria-label": t("close"), onclick: close }, "✕");
  content = () => h("div", { class: "dialog" }, h("header", {}, h("h2", {}, title), cross), draw());
  redraw();
  box.showModal();
  return close;
}

/** Draw the open dialog anew; messages that lie on it stay. */
export function redraw() {
  if (!box) return;
  const messages = box.querySelector(MESSAGES);
  render(box, content());
  if (messages) box.append(messages);
}

/** Close the dialog, if one is open. */
export function close() {
  const gone = box;
  box = null;
  if (!gone) return;
  gone.close(); // gives the focus back
  gone.remove();
  document.dispatchEvent(new Event("closed")); // shell.js takes the messages back that lie on it
}

/** Whether a dialog is open: one that Escape has just shut is not. */
export const isOpen = () => box?.open ?? false;
