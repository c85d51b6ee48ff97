// The layout as it is seen: the printed cells, the chips on every spot, and with `use` every spot to be touched.

import { h } from "../../js/dom.js";
import { behindBars, betsBySpot, isClosed, zone } from "../../js/felt_svg.js";
import { t } from "../../js/page.js";
import { cells, inside, nextPlace, outside, SIZE } from "./layout.js";
import { numberAt, wordAt } from "./printed.js";
import { colorOf, pocketsOf, spotName } from "./spots.js";

const CHIP = 12.5;
const LEAST = 9;

const seatOf = (view) => (name) => view.players.find((player) => player.name === name)?.seat ?? null;

/** Prisoners and bets: a fresh bet lies beside the prisoner of the same player on the same spot. */
export const lying = (view) => [...view.imprisoned.map((bet) => ({ ...bet, locked: t("in_prison") })), ...view.bets];

/**
 * The layout with its bets.
 * @param {object} view the table
 * @param {{lying: boolean, use?: {aim: object, pending: Set, enabled: boolean, says: function(string): string,
 *   onBet: function(string), redraw: function}}} how `lying`: the zero on the left; `use.aim.on` is the spot that is
 *   looked at
 */
export function felt(view, { lying: isLying, use }) {
  const round = outside(isLying);
  const places = [...inside(view.wheel, isLying), ...round];
  const covered = use?.aim.on ? pocketsOf(use.aim.on) : new Set();
  const [width, height] = SIZE[isLying ? "lying" : "upright"];
  const spots = betsBySpot(lying(view));
  const betsOn = (on) => spots.get(on) ?? [];
  const edged = new Set([...spots.keys()].filter(isOnEdge).flatMap((on) => [...pocketsOf(on)]));
  const drawn = new Map([
    ...cells(view.wheel, isLying).map((cell) => {
      const on = `straight/${cell.on}`;
      return [on, { cell, ...numberAt(cell, betsOn(on).length, edged.has(cell.on)) }];
    }),
    ...round.map((place) => [place.on, { cell: place, ...wordAt(place, betsOn(place.on).length) }]),
  ]);
  return h(
    "svg",
    {
      class: `wheel-felt ${isLying ? "lying" : "upright"}${use ? " touchable" : ""}`,
      key: isLying ? "lying" : "upright",
      role: use ? "group" : "img",
      "aria-label": t("felt_layout"),
      viewBox: `-2 -2 ${width + 4} ${height + 4}`,
      preserveAspectRatio: "xMidYMid meet",
      onkeydown: use && ((event) => arrow(event, places, use)),
    },
    [...drawn].map(([on, at]) =>
      on.startsWith("straight/")
        ? number(at, covered.has(at.cell.on), view.phase === "betting" && view.last[0])
        : print(at, use?.aim.on === on),
    ),
    places.map((place) => spot({ ...place, ...chipsIn(drawn.get(place.on)) }, view, betsOn(place.on), use)),
  );
}

/** Whether a chip on a spot lies on edges of numbers. */
const isOnEdge = (on) => /^(split|corner|street|line)/.test(on);

const chipsIn = (at) => ({ chipsAt: at?.chipsAt, chip: at?.chip ?? CHIP });

function number({ cell, x, y, size }, isCovered, dolly) {
  return h(
    "g",
    { key: `n${cell.on}`, class: `cell ${colorOf(cell.on)}${isCovered ? " covered" : ""}`, "aria-hidden": "true" },
    h("rect", { x: cell.x, y: cell.y, width: cell.width, height: cell.height }),
    dolly === cell.on && h("path", { class: "dolly", d: frame(cell) }),
    h("text", { x, y, style: { "font-size": `${size}px` } }, cell.on),
  );
}

/** A line along the inside of a cell's edges. */
const frame = ({ x, y, width, height }) => `M${x + 5} ${y + 5}h${width - 10}v${height - 10}h${10 - width}z`;

function print({ cell: place, x, y, isHigh }, isAimed) {
  const kind = place.on.split("/")[0];
  return h(
    "g",
    { key: `p${place.on}`, class: `cell outside ${kind}${isAimed ? " covered" : ""}`, "aria-hidden": "true" },
    h("rect", { x: place.x, y: place.y, width: place.width, height: place.height }),
    h(
      "text",
      { x, y: y + 5, transform: isHigh ? `rotate(-90 ${x} ${y})` : null },
      t(`felt_${place.on.replace("/", "_")}`),
    ),
  );
}

function spot(place, view, bets, use) {
  const { on } = place;
  const name = use ? use.says(on) : spotName(on);
  const touch = use && {
    enabled: () => use.enabled,
    pending: use.pending,
    onTouch: (touched) => (look(use, touched), use.onBet(touched)),
    tabindex: () => (on === (use.aim.on ?? "straight/0") ? 0 : -1),
    onLook: () => look(use, on),
  };
  return zone({ ...place, name, isClosed: isClosed(view, on) }, null, bets, {
    seatOf: seatOf(view),
    use: touch,
    chip: place.chip,
    least: LEAST,
    centered: true,
  });
}

function look(use, on) {
  if (use.aim.on === on) return;
  use.aim.on = on;
  use.redraw();
}

/** Go to the next spot with an arrow key. */
function arrow(event, places, use) {
  const next = nextPlace(places, use.aim.on ?? "straight/0", event.key);
  if (!next) return;
  event.preventDefault();
  look(use, next);
  event.currentTarget.querySelector(`[data-on="${next}"]`)?.focus();
}

/** What a chip in prison looks like. */
export const cellSign = () =>
  h("svg", { class: "cell-sign", viewBox: "-13 -13 26 26", "aria-hidden": "true" }, behindBars(12));
