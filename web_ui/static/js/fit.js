// The room's screen does not scroll on a television: what is paid must fit beside the table, and where it cannot, the
// last row says how much is missing. What matters less makes room first: the log, the last card, then some width.

import { t } from "./page.js";

const LEVELS = ["", "1", "1 2", "1 2 3", "1 2 3 4"]; // what each makes smaller is in table.css

/** Make the side fit after every drawing, for which this returns the function, and every resize; then call `after`. */
export function keepFitting(after = () => {}) {
  const fitAll = () => (fit(), after());
  for (const [target, type] of [
    [window, "resize"],
    [document, "toggle"],
  ])
    target.addEventListener(type, fitAll, true);
  document.fonts.ready.then(fitAll);
  return fitAll;
}

function fit() {
  const room = document.querySelector("main.room");
  const side = room?.querySelector(":scope > .side");
  if (!side) return;
  const rows = [...side.querySelectorAll("[data-rows] > li:not(.more-rows)")];
  show(side, rows, rows.length);
  for (const level of LEVELS) {
    room.dataset.fit = level;
    if (fits(side) && [...room.querySelectorAll("[data-whole]")].every(isWhole)) return wholeLines(side);
  }
  for (let shown = rows.length - 1; shown >= 0 && !fits(side); shown--) show(side, rows, shown);
  wholeLines(side);
}

/** Whether what a game marks as `data-whole` is seen whole. */
const isWhole = (part) => part.scrollHeight <= part.clientHeight + 1;

/** Whether everything in the side lies inside of it, and the side on the screen. */
function fits(side) {
  const { right, bottom } = side.getBoundingClientRect();
  const inside = [...side.children].every(
    (child) => child.matches(".just-now") || Math.round(child.getBoundingClientRect().bottom) <= Math.ceil(bottom),
  );
  const scrolls = getComputedStyle(document.body).overflowY !== "hidden";
  return (
    scrolls || (inside && side.scrollHeight <= side.clientHeight + 1 && bottom <= innerHeight && right <= innerWidth)
  );
}

/** Show the first rows, and say how many payments are not shown. */
function show(side, rows, count) {
  rows.forEach((row, i) => (row.hidden = i >= count));
  const missing = rows.slice(count).filter((row) => "row" in row.dataset).length;
  const more = side.querySelector(".more-rows");
  if (!more) return;
  more.hidden = missing === 0;
  more.textContent = missing ? t(count > 0 ? "more_rows" : "no_rows", { count: missing }) : "";
}

/** Of the latest sentences show those that are there in full, up to the first that is not: a list with a gap tells
 * another story. */
function wholeLines(side) {
  const log = side.querySelector(".just-now");
  if (!log) return;
  const lines = [...log.querySelectorAll("li")];
  for (const one of [log.firstElementChild, ...lines]) one.hidden = false;
  const end = log.getBoundingClientRect().bottom + 1;
  if (getComputedStyle(document.body).overflowY === "hidden") {
    const tooLow = lines.findIndex((line) => line.getBoundingClientRect().bottom > end);
    if (tooLow >= 0) for (const line of lines.slice(tooLow)) line.hidden = true;
  }
  log.firstElementChild.hidden = lines.every((line) => line.hidden); // no heading without a sentence
}
