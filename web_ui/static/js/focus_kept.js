// The keyboard's place is kept where a page is drawn anew and what had the focus goes, such as a button once pressed.

import { render } from "./dom.js";

/** Bring the page to what is described. If what had the focus is gone then, the heading of what was around it has it. */
export function renderKept(root, ...children) {
  const had = document.activeElement;
  const around = [];
  for (let one = had; one && root.contains(one); one = one.parentElement) around.push(one);
  render(root, ...children);
  if (around.length === 0 || had.isConnected) return;
  const heading = around.map((one) => one.isConnected && one.querySelector("h1, h2, h3")).find(Boolean);
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true }); // whoever taps sees the page stand still
}
