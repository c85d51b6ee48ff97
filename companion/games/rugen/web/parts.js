// The Rugen tables: the felt of the House game, the die, the chain and its markers.

import { h } from "../../js/dom.js";
import { emblem } from "../../js/card.js";
import { betsBySpot, isClosed, zone } from "../../js/felt_svg.js";
import { t } from "../../js/page.js";

export const NUMBERS = [1, 2, 3, 4];
export const FACES = NUMBERS.flatMap((n) => [`${n}d`, `${n}n`]);
const D20 = {
  "1d": [1, 1],
  "1n": [2, 2],
  "2d": [3, 4],
  "2n": [5, 6],
  "3d": [7, 9],
  "3n": [10, 12],
  "4d": [13, 16],
  "4n": [17, 20],
};
const [SPACE_W, GAP, HEAD, FOOT] = [250, 10, 62, 28];
const ZONE_H = { 2: 132, 4: 186 }; // by the number of columns: a television has room for more chips
const COLUMNS = [
  ["day", 4, 74],
  ["center", 82, 86],
  ["night", 172, 74],
];

/** The values of a d20 that stand for a face: "13–16". */
export const d20Of = (face) =>
  D20[face][0] === D20[face][1] ? String(D20[face][0]) : `${D20[face][0]}–${D20[face][1]}`;

/** The face that a d20's value stands for. */
export const faceOf = (value) => FACES.find((face) => D20[face][0] <= value && value <= D20[face][1]);

export const halfOf = (face) => (face[1] === "d" ? "day" : "night");

/** A face in words: "3 by night". */
export const faceName = (face) => t("face_name", { number: Number(face[0]), half: t(`by_${halfOf(face)}`) });

/** A bet's spot in words: "Center 3". */
export function spotName(on) {
  const parts = on.split("/");
  return t(`rspot_${parts[0]}`, { n: Number(parts.at(-1)) });
}

/** A price, or one each where day and night differ: [["day", "8:2"], ["night", "7:2"]]; the half is null for one. */
export function pricesOf(pays) {
  const all = String(pays).split(",");
  const half = (text) => (text.includes(t("by_day")) ? "day" : "night");
  return all.map((text) => [all.length > 1 ? half(text) : null, /\d+:\d+/.exec(text)[0]]);
}

/** What a spot pays, as it is printed on the felt: whole, and with its half in words where it has one. */
function printedPrice(pays, x, y) {
  const all = pricesOf(pays);
  if (all.length === 1) return h("text", { class: "price", key: "price", x, y }, all[0][1]);
  return all.map(([half, price], i) =>
    h("text", { class: "price half-price", key: half, x, y: y - 8 + 17 * i }, `${t(half)} ${price}`),
  );
}

/** A bet is made in multiples of this. */
export const unitOf = (on) => (on.startsWith("chain") ? 1 : Number(on.split("/")[1]));

// ---- the die

/** A Rugen face as the die shows it: day dark on light, night light on dark. */
export const die = (face, props = {}) =>
  h(
    "svg",
    {
      viewBox: "-50 -52 100 104",
      role: "img",
      "aria-label": faceName(face),
      ...props,
      class: `die ${halfOf(face)} ${props.class || ""}`,
    },
    h("path", { class: "body", d: "M0-50 43.3-25V25L0 50-43.3 25V-25Z" }),
    h("path", {
      class: "edges",
      d: `M0-50-24.2 20M0-50 24.2 20M-24.2 20h48.4M-43.3-25-24.2 20M43.3-25 24.2 20M-43.3 25-24.2 20 0 50 24.2 20
        43.3 25`,
    }),
    h("text", { x: 0, y: 14, class: "number" }, face[0]),
    h("use", { href: `#half-${halfOf(face)}`, x: 11, y: -40, width: 15, height: 15, class: "half-sign" }),
  );

/** The throws of a chain in their order. */
export const chainStrip = (faces, { broken = false } = {}) =>
  h(
    "ol",
    { class: `chain-strip${broken ? " broken" : ""}`, "aria-label": t("chain") },
    faces.map((face, i) => h("li", { key: `${i}/${face}` }, die(face, { "data-fly": broken ? null : `die${i}` }))),
  );

// ---- the House felt

/**
 * The layout of House Rugen: four spaces with center, day, night above and the chain bets over them.
 * @param {object} view the table
 * @param {{columns?: number, use?: object, bets?: Array}} options `use` makes the zones buttons, see felt_svg.js
 */
export function houseFelt(view, { columns = 4, use = null, bets = view.bets } = {}) {
  const spots = betsBySpot(bets);
  const rows = Math.ceil(4 / columns);
  const seatOf = (name) => view.players.find((player) => player.name === name)?.seat ?? null;
  const height = HEAD + 2 * ZONE_H[columns] + 4 + FOOT;
  const props = {
    class: `house-felt${use ? " touchable" : ""}`,
    viewBox: `0 0 ${columns * (SPACE_W + GAP) - GAP} ${rows * (height + GAP) - GAP}`,
    preserveAspectRatio: "xMidYMin meet",
    key: "felt",
  };
  return h(
    "svg",
    { ...props, role: use ? "group" : "img", "aria-label": t("felt_house") },
    NUMBERS.map((n, i) =>
      space(
        n,
        view,
        spots,
        { seatOf, use, chip: columns === 4 ? 27 : 22, least: 16, tall: ZONE_H[columns], height },
        (i % columns) * (SPACE_W + GAP),
        Math.floor(i / columns) * (height + GAP),
      ),
    ),
  );
}

function space(n, view, spots, more, x, y) {
  const { markers } = view.spaces[n - 1];
  const broke = view.chain.length === 0 && view.result?.number === n;
  return h(
    "g",
    {
      key: n,
      class: `space${broke ? " broke" : ""}${markers.length === n - 1 && n > 1 ? " near" : ""}`,
      transform: `translate(${x} ${y})`,
    },
    h("rect", { class: "cloth", x: 0, y: 0, width: SPACE_W, height: more.height, rx: 16 }),
    h("text", { class: "numeral", x: 16, y: 50 }, n),
    Array.from({ length: n }, (_, i) => marker(markers[i], SPACE_W - 26 - (n - 1 - i) * 44, 32, i)),
    COLUMNS.map(([kind, left, width]) =>
      chainZone(kind === "center" ? "chain" : `chain-${kind}`, n, left, width, view, spots, more),
    ),
    COLUMNS.map(([kind, left, width]) => throwZone(kind, n, left, width, view, spots, more)),
    h("text", { class: "d20", x: 41, y: more.height - 9 }, d20Of(`${n}d`)),
    h("text", { class: "d20 legend", x: 125, y: more.height - 9 }, t("d20")),
    h("text", { class: "d20", x: 209, y: more.height - 9 }, d20Of(`${n}n`)),
  );
}

/** A place for a marker, and the marker that lies there with the half it was thrown by. */
function marker(face, x, y, i) {
  return h(
    "g",
    { key: `m${i}`, class: `marker${face ? ` on ${halfOf(face)}` : ""}`, transform: `translate(${x} ${y})` },
    h("circle", { r: 18 }),
    face && h("use", { href: `#half-${halfOf(face)}`, x: -11, y: -11, width: 22, height: 22 }),
  );
}

function chainZone(kind, n, x, width, view, spots, more) {
  const on = `${kind}/${n}`;
  const half = kind.split("-")[1];
  const top = [
    half &&
      h("use", {
        href: `#half-${half}`,
        x: x + width / 2 - 24,
        y: HEAD + 7,
        width: 18,
        height: 18,
        class: "half-sign",
      }),
    link(x + width / 2 + (half ? 14 : 0), HEAD + 16),
    half && h("text", { class: "half-word", x: x + width / 2, y: HEAD + 41 }, t(half)),
    printedPrice(view.spots[on], x + width / 2, HEAD + (half ? 63 : 52)),
  ];
  return zone(
    {
      on,
      x,
      y: HEAD,
      width,
      height: more.tall,
      top: 76,
      name: named(on, view),
      isClosed: isClosed(view, on),
      cls: `chain ${half || "both"}`,
    },
    top,
    spots.get(on) || [],
    more,
  );
}

const link = (x, y) =>
  h(
    "g",
    { class: "link", transform: `translate(${x} ${y})` },
    h("rect", { x: -15, y: -5, width: 17, height: 10, rx: 5 }),
    h("rect", { x: -2, y: -5, width: 17, height: 10, rx: 5 }),
  );

function throwZone(kind, n, x, width, view, spots, more) {
  const on = `${kind}/${n}`;
  const y = HEAD + more.tall + 4;
  const top = [
    kind === "center"
      ? Array.from({ length: n }, (_, i) =>
          h("circle", { key: `dot${i}`, class: "dot", cx: x + width / 2 + (i - (n - 1) / 2) * 17, cy: y + 19, r: 6 }),
        )
      : h("use", { href: `#half-${kind}`, x: x + width / 2 - 11, y: y + 6, width: 22, height: 22, class: "half-sign" }),
    kind !== "center" && h("text", { class: "half-word", x: x + width / 2, y: y + 41 }, t(kind)),
    printedPrice(view.spots[on], x + width / 2, y + (kind === "center" ? 52 : 63)),
  ];
  return zone(
    {
      on,
      x,
      y,
      width,
      height: more.tall,
      top: 76,
      name: named(on, view),
      isClosed: isClosed(view, on),
      cls: `throw ${kind}`,
    },
    top,
    spots.get(on) || [],
    more,
  );
}

const named = (on, view) => t("spot_pays", { spot: spotName(on), price: view.spots[on] });

/** A sun or a moon before a word. */
export const halfSign = (half) => emblem(`half-${half}`, "emblem half");
