// Betting layouts drawn as SVG: zones that can be touched, and the chips that lie on them.

import { h } from "./dom.js";
import { number, t } from "./page.js";
import { winText } from "./sums.js";

/** The bets as they lie: settled ones until the next round. */
export const betsNow = (view) => (view.phase === "settled" ? view.settled : view.bets);

/** The bets on each spot. */
export function betsBySpot(bets) {
  const found = new Map();
  for (const bet of bets) found.set(bet.on, [...(found.get(bet.on) || []), bet]);
  return found;
}

/**
 * One zone of a layout: its shape, what is printed on it, the chips on it. With `use` it is a button.
 * @param {{on: string, x: number, y: number, width: number, height: number, name: string, cls?: string, top?: number,
 *   indent?: number, isClosed?: boolean, chipsAt?: object}} zone the print takes `top` of the height or `indent` of the
 *   width; the chips lie below it or to its right, or in the box `chipsAt`; what is closed is crossed out
 * @param {Array} print what the felt shows there, as SVG
 * @param {Array} bets the bets on it; `locked` says why one cannot be moved
 * @param {{seatOf: function(string): number|null, use?: object, chip?: number, centered?: boolean}} more `chip` is a
 *   chip's radius, `least` what it may shrink to where many lie; `centered` chips lie in the middle of their place
 */
export function zone(
  { on, x, y, width, height, name, cls = "", top = 0, indent = 0, isClosed = false, chipsAt },
  print,
  bets,
  { seatOf, use, chip = 17, least = chip, centered = false },
) {
  const box = { x, y, width, height, rx: 6, class: "ground" };
  const props = {
    key: on,
    class: `zone ${cls}${use?.chosen === on ? " chosen" : ""}${use?.pending?.has(on) ? " busy" : ""}${isClosed ? " closed" : ""}`,
    "data-on": on,
  };
  return h(
    "g",
    use ? { ...props, ...button(on, name, use) } : props,
    h("rect", box),
    print,
    isClosed && h("path", { class: "crossed", d: `M${x} ${y}l${width} ${height}m${-width} 0l${width} ${-height}` }),
    chips(
      bets,
      { ...(chipsAt ?? { x: x + indent, y: y + top, width: width - indent, height: height - top }), centered },
      seatOf,
      chip,
      least,
    ),
  );
}

function button(on, name, use) {
  const off = !use.enabled(on);
  const press = () => !off && !use.pending?.has(on) && use.onTouch(on);
  return {
    role: "button",
    tabindex: use.tabindex?.(on) ?? 0,
    "aria-label": name,
    "aria-disabled": off ? "true" : null,
    "aria-pressed": use.chosen === undefined ? null : String(use.chosen === on),
    onclick: press,
    onfocus: use.onLook,
    onkeydown: (event) => ["Enter", " "].includes(event.key) && (event.preventDefault(), press()),
  };
}

const inRows = (length, r) => Math.max(1, Math.floor(length / (2 * r + 2)));

/** Chips row by row from the bottom, the largest first, as large as all of them fit; of too many, the rest in one. */
function chips(bets, box, seatOf, most, least) {
  if (bets.length === 0) return null;
  let r = most;
  while (r > least && inRows(box.width, r) * inRows(box.height, r) < bets.length) r -= 1;
  const wide = inRows(box.width, r);
  const room = wide * inRows(box.height, r);
  const sorted = [...bets].sort((a, b) => Number(b.is_won ?? 0) - Number(a.is_won ?? 0) || b.amount - a.amount);
  const shown = sorted.length > room ? [...sorted.slice(0, room - 1), together(sorted.slice(room - 1))] : sorted;
  const rows = Math.ceil(shown.length / wide);
  const foot = box.centered ? box.height / 2 - (rows - 1) * (r + 1) : Math.min(r + 4, box.height / 2);
  return shown.map((bet, i) => {
    const inRow = Math.min(wide, shown.length - Math.floor(i / wide) * wide);
    const x = box.x + box.width / 2 + ((i % wide) - (inRow - 1) / 2) * (2 * r + 2);
    return chip(bet, x, box.y + box.height - foot - Math.floor(i / wide) * (2 * r + 2), seatOf(bet.player), r);
  });
}

const keyOf = (bet) => `${bet.player ?? "rest"}/${bet.on ?? ""}${bet.locked ? "/locked" : ""}`;

const together = (rest) => ({
  player: null,
  amount: rest.reduce((sum, bet) => sum + bet.amount, 0),
  count: rest.length,
});

function chip(bet, x, y, seat, r) {
  const text = bet.is_won ? `${number(bet.won)}+${number(bet.amount)}` : number(bet.amount);
  return h(
    "g",
    {
      key: keyOf(bet),
      class: `chip-svg${bet.is_won === undefined ? "" : bet.is_won ? " won" : " lost"}${bet.locked ? " locked" : ""}`,
      "data-seat": seat,
      transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
    },
    h(
      "title",
      {},
      bet.player
        ? [bet.player, ": ", bet.is_won ? winText(bet) : text, bet.locked && ` (${bet.locked})`]
        : t("more_bets", { count: bet.count }),
    ),
    h(
      "g",
      { class: "drop" },
      bet.locked ? behindBars(r) : [h("circle", { class: "disc", r }), ring(r)],
      h("text", { class: "amount", y: r * 0.34, style: { "font-size": `${fit(text, r)}px` } }, text),
      seat && [
        h("circle", { class: "tab", cx: r * 0.74, cy: -r * 0.74, r: r * 0.46 }),
        h("text", { class: "tab-no", x: r * 0.74, y: -r * 0.57, style: { "font-size": `${r * 0.6}px` } }, seat),
      ],
    ),
  );
}

/** The dashed ring of a chip: thinner on a small one, whose amount it would touch. */
function ring(r) {
  const wide = Math.min(2.2, 0.15 * r);
  return h("circle", { class: "ring", r: r - wide, style: { "stroke-width": wide.toFixed(2) } });
}

/** A chip that cannot be moved is square, and has bars above and below its amount. */
export const behindBars = (r) => [
  h("rect", { class: "disc", x: -r, y: -r, width: 2 * r, height: 2 * r, rx: r * 0.16 }),
  h("path", {
    class: "bars",
    "stroke-width": (r * 0.14).toFixed(2),
    d: [-0.66, -0.22, 0.22, 0.66].map((x) => `M${x * r} ${-r}v${r * 0.42}M${x * r} ${r}v${-r * 0.42}`).join(""),
  }),
];

const fit = (text, r) => (r * Math.min(1.02, 2.65 / text.length)).toFixed(1);

/** Whether a spot is closed: it could cost more than the bank has. */
export const isClosed = (view, on) => Boolean(view.closed_spots?.includes(on));

/** What the crosses on a layout mean, where there are any. */
export const closedLegend = (view) =>
  view.closed_spots?.length > 0 && h("p", { class: "hint closed-legend", key: "closed" }, t("spots_closed"));

/** The bets in words, for those who do not see the felt. */
export const betsInWords = (bets, nameOf) =>
  h(
    "ul",
    { class: "quiet", key: "words", "aria-label": t("bets") },
    bets.map((bet) =>
      h(
        "li",
        { key: keyOf(bet) },
        t("placed", { player: bet.player, amount: bet.amount, spot: nameOf(bet.on) }),
        bet.locked && ` (${bet.locked})`,
      ),
    ),
  );
