// Motion that says what happened: a card slides onto its stack, a token to its owner, coins to who is paid.
// Whoever asked the device for less motion sees the table change at once.

import { coin } from "./pieces.js";
import { render } from "./dom.js";

const SLIDE_MS = 520;
const COIN_MS = 900;
const COIN_GAP_MS = 90;
const COINS_SHOWN = 8;
const SLIDE = "cubic-bezier(0.2, 0.7, 0.2, 1)";
const less = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Draw, and let what has another place now slide there: elements with the same data-fly, before and after.
 * @param {function} draw
 * @param {{originOf?: function(string), payments?: Array}} more originOf(id) names the data-place from which a new
 *   piece comes; payments are {from, to, chips} between data-places
 */
export function moving(draw, { originOf = () => null, payments = [] } = {}) {
  if (less.matches || document.hidden) return draw();
  const before = places();
  draw();
  const after = places();
  for (const node of document.querySelectorAll("[data-fly]")) {
    const from = before.get(`fly ${node.dataset.fly}`) || before.get(`place ${originOf(node.dataset.fly)}`);
    if (from) slide(node, from, node.getBoundingClientRect());
  }
  payments.forEach((payment) => pay(payment, after));
}

function places() {
  const found = new Map();
  for (const node of document.querySelectorAll("[data-fly]"))
    found.set(`fly ${node.dataset.fly}`, node.getBoundingClientRect());
  for (const node of document.querySelectorAll("[data-place]"))
    found.set(`place ${node.dataset.place}`, node.getBoundingClientRect());
  return found;
}

const middle = (box) => [box.left + box.width / 2, box.top + box.height / 2];

function slide(node, from, to) {
  const [fx, fy] = middle(from);
  const [tx, ty] = middle(to);
  if (Math.hypot(fx - tx, fy - ty) < 12 || to.width === 0) return;
  const scale = Math.min(1.6, Math.max(0.6, from.width / to.width));
  node.style.animation = "none"; // it comes from where it was, not out of the air
  const layer = node.closest("[data-layer]");
  if (layer) layer.classList.add("on-top");
  const run = node.animate(
    [{ transform: `translate(${fx - tx}px, ${fy - ty}px) scale(${scale})` }, { transform: "none" }],
    { duration: SLIDE_MS, easing: SLIDE },
  );
  run.onfinish = run.oncancel = () => layer?.classList.remove("on-top");
}

function pay({ from, to, chips }, where) {
  const [start, end] = [where.get(`place ${from}`), where.get(`place ${to}`)];
  if (!start || !end) return;
  chips
    .slice(0, COINS_SHOWN)
    .forEach((chip, i) => setTimeout(() => fly(chip, middle(start), middle(end)), i * COIN_GAP_MS));
}

function fly(chip, [x, y], [toX, toY]) {
  const carrier = document.createElement("div");
  carrier.className = "coin-flight";
  document.body.append(carrier);
  render(carrier, coin(chip));
  const top = Math.min(y, toY) - 60;
  const steps = [
    `translate(${x}px, ${y}px)`,
    `translate(${(x + toX) / 2}px, ${top}px)`,
    `translate(${toX}px, ${toY}px)`,
  ];
  const run = carrier.animate(
    steps.map((transform) => ({ transform })),
    { duration: COIN_MS, easing: "ease-in-out" },
  );
  run.onfinish = run.oncancel = () => carrier.remove();
}
