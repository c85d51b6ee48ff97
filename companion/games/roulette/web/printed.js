// Where a cell's number or word stands, and where the chips on it lie: neither covers the other.

import { middle } from "./layout.js";

const EDGE_CHIP = 12.5; // a chip's radius on an edge between numbers
const CLEAR = EDGE_CHIP + 1; // as far in from its edges a cell is free of such chips
const LINES = 3; // as far in where there are none
const MOST = 16;
const LINE = 15; // the height of a word
const OVER = 4; // what a seat's number stands out above its chip

/**
 * A number and the chips straight on it: with chips the number moves above them, in a low cell to their left.
 * @param {{x: number, y: number, width: number, height: number}} cell
 * @param {number} count how many chips
 * @param {boolean} isEdged whether chips lie on its edges
 */
export function numberAt(cell, count, isEdged) {
  const { x, y } = middle(cell);
  if (count === 0) return { x, y: y + 8, size: 22 };
  const free = inset(cell, isEdged ? CLEAR : LINES);
  const size = isEdged && count > 1 && Math.max(free.width, free.height) < 80 ? 15 : 22;
  const cap = 0.73 * size;
  if (free.width > free.height && size === 22)
    return { x: free.x + 14, y: y + 8, size, chipsAt: from(free, 29, 0), chip: EDGE_CHIP };
  const chipsAt = from(free, 0, cap + 4);
  return {
    x,
    y: free.y + cap,
    size,
    chipsAt,
    chip: Math.min(isEdged ? 13 : MOST, (Math.min(chipsAt.width, chipsAt.height) + 4) / 2),
  };
}

/**
 * A word beside the numbers and the chips on it: with chips it moves to the edge, above or left of them.
 * @param {{x: number, y: number, width: number, height: number}} place
 * @param {number} count how many chips
 */
export function wordAt(place, count) {
  const isHigh = place.height > 2 * place.width;
  const at = middle(place);
  if (count > 0 && isHigh) at.x = place.x + LINE / 2 + 1;
  else if (count > 0) at.y = place.y + LINE / 2 + 1;
  const chipsAt = isHigh ? from(place, LINE, 0) : from(place, 0, LINE + OVER);
  return { ...at, isHigh, chipsAt, chip: Math.min(MOST, Math.min(chipsAt.width, chipsAt.height) / 2 - 1) };
}

const inset = ({ x, y, width, height }, by) => ({
  x: x + by,
  y: y + by,
  width: width - 2 * by,
  height: height - 2 * by,
});

/** What is left of a box without its left or upper part. */
const from = ({ x, y, width, height }, left, top) => ({
  x: x + left,
  y: y + top,
  width: width - left,
  height: height - top,
});
