// Cards and emblems as SVG. Day: paper with a thin double border; night: dark with one thick border.

import { h } from "./dom.js";
import { cardName, data } from "./page.js";

/** A suit's emblem; `what` is "suit-6", "half-day" or "half-night". */
export const emblem = (what, cls = "emblem") =>
  h(
    "svg",
    { class: cls, viewBox: "-1 -1 2 2", "aria-hidden": "true" },
    h("use", { href: `#${what}`, x: -1, y: -1, width: 2, height: 2 }),
  );

export const suitEmblem = (rank, cls) => emblem(`suit-${rank}`, cls);
export const halfSign = (id, cls = "emblem half") => emblem(id[1] === "D" ? "half-day" : "half-night", cls);

/** What is printed below a card's picture; undefined for cards that have neither. */
export const printedName = (id) => data.card_names?.[id];

/** One card. `props` go to the svg element; with `art` it shows the picture that is printed on it, where it has one. */
export function card(id, { art = false, ...props } = {}) {
  const night = id[1] === "N";
  const rank = id[0];
  const inside = [
    h("rect", { class: "paper", x: 0.3, y: 0.3, width: 62.4, height: 87.4, rx: 4 }),
    night
      ? [
          h("rect", { class: "night-border", x: 1.6, y: 1.6, width: 59.8, height: 84.8, rx: 3 }),
          h("rect", { class: "field", x: 4, y: 4, width: 55, height: 80, rx: 1.6 }),
        ]
      : [
          h("rect", { class: "line", x: 2, y: 2, width: 59, height: 84, rx: 2.8 }),
          h("rect", { class: "line", x: 3.7, y: 3.7, width: 55.6, height: 80.6, rx: 1.8 }),
        ],
    mark("corner", rank, id, 6.2, 16.5),
    h("g", { transform: "rotate(180 31.5 44)" }, mark("corner", rank, id, 6.2, 16.5)),
    art && printedName(id) ? picture(id) : use(`suit-${rank}`, 31.5, 46, 17.5, "figure"),
  ];
  const cls = `card ${night ? "night" : "day"} ${props.class || ""}`;
  return h(
    "svg",
    { viewBox: "0 0 63 88", role: "img", "aria-label": cardName(id), "data-suit": rank, ...props, class: cls },
    inside,
  );
}

const picture = (id) =>
  h("image", { key: id, href: `/art/${id}.svg`, x: 4.5, y: 22.8, width: 54, height: 42.4, class: "picture" });

const use = (what, cx, cy, r, cls) =>
  h("use", { href: `#${what}`, class: cls, x: cx - r, y: cy - r, width: 2 * r, height: 2 * r });

// The index shows in a staggered pile: number of the suit, its emblem, day or night, number of the card.
function mark(cls, rank, id, x, y) {
  return h(
    "g",
    { class: cls },
    h("text", { class: "rank", x, y }, rank),
    use(`suit-${rank}`, x + 15.5, y - 4.8, 4.6, "figure"),
    use(id[1] === "D" ? "half-day" : "half-night", 43, y - 4.8, 4.4, "sign"),
    h("text", { class: "no", x: 57, y: y - 0.6 }, id.slice(2)),
  );
}

/** A small, steady disorder, so that a pile looks put down by hand. */
export function tilt(id) {
  let n = 7;
  for (const letter of id) n = (n * 31 + letter.charCodeAt(0)) % 101;
  return (n - 50) / 50;
}
