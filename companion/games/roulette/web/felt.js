// The layout as it is seen: the printed cells, the chips on every spot, and with `use` every spot to be touched.

import { h } from "../../js/dom.js";
import { betsBySpot, isClosed, zone } from "../../js/felt_svg.js";
import { t } from "../../js/page.js";
import { cells, inside, middle, nextPlace, outside, SIZE } from "./layout.js";
import { colorOf, pocketsOf, spotName } from "./spots.js";

const CHIP = 12.5;
const LEAST = 9;

const seatOf = (view) => (name) => view.players.find((player) => player.name === name)?.seat ?? null;

/** Bets and prisoners, each with a key of its own. */
const lying = (view) => [...view.imprisoned.map((bet) => ({ ...bet, in_prison: true })), ...view.bets];

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
  const spots = betsBySpot(together(lying(view)));
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
    cells(view.wheel, isLying).map((cell) =>
      number(cell, covered.has(cell.on), view.phase === "betting" && view.last[0]),
    ),
    round.map((place) => print(place, use?.aim.on === place.on)),
    places.map((place) => spot(place, view, spots.get(place.on) ?? [], use)),
  );
}

/** What a player has in prison and in a fresh bet on one spot lies in one pile. */
function together(bets) {
  const piles = new Map();
  for (const bet of bets) {
    const key = `${bet.player}/${bet.on}`;
    piles.set(key, { ...bet, amount: bet.amount + (piles.get(key)?.amount ?? 0) });
  }
  return [...piles.values()];
}

function number(cell, isCovered, dolly) {
  const { x, y } = middle(cell);
  return h(
    "g",
    { key: `n${cell.on}`, class: `cell ${colorOf(cell.on)}${isCovered ? " covered" : ""}`, "aria-hidden": "true" },
    h("rect", { x: cell.x, y: cell.y, width: cell.width, height: cell.height }),
    h("text", { x, y: y + 8 }, cell.on),
    dolly === cell.on && h("circle", { class: "dolly", cx: x, cy: y, r: 21 }),
  );
}

function print(place, isAimed) {
  const { x, y } = middle(place);
  const isHigh = place.height > 2 * place.width;
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
    chip: CHIP,
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
