// The spots of the layout: what they are called, which pockets they cover, and what a pocket looks like.

import { t } from "../../js/page.js";

const RED = new Set([1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36]);
const NUMBERS = Array.from({ length: 36 }, (_, i) => i + 1);
const WIDE = { street: 3, line: 6 };

/** A pocket's color: green, red or black. */
export const colorOf = (pocket) =>
  pocket === "0" || pocket === "00" ? "green" : RED.has(Number(pocket)) ? "red" : "black";

/** A pocket in words: "17 black". */
export const pocketName = (pocket) => t("pocket_name", { pocket, color: t(`color_${colorOf(pocket)}`) });

const run = (first, count) => NUMBERS.slice(first - 1, first - 1 + count);

const COVERED = {
  street: (n) => run(n, 3),
  line: (n) => run(n, 6),
  corner: (n) => [...run(n, 2), ...run(n + 3, 2)],
  dozen: (n) => run(12 * n - 11, 12),
  column: (n) => NUMBERS.filter((one) => one % 3 === n % 3),
  red: () => NUMBERS.filter((one) => RED.has(one)),
  black: () => NUMBERS.filter((one) => !RED.has(one)),
  odd: () => NUMBERS.filter((one) => one % 2),
  even: () => NUMBERS.filter((one) => one % 2 === 0),
  low: () => run(1, 18),
  high: () => run(19, 18),
};

/** The pockets with which a spot wins. */
export function pocketsOf(on) {
  const [kind, ...named] = on.split("/");
  return new Set(COVERED[kind] ? COVERED[kind](Number(named[0])).map(String) : named);
}

/** A bet's spot in words: "Split 17/20". */
export function spotName(on) {
  const [kind, ...named] = on.split("/");
  const n = Number(named[0]);
  if (kind === "corner") return t("spot_corner", { n: COVERED.corner(n).join("/") });
  if (kind in WIDE) return t(`spot_${kind}`, { first: n, last: n + WIDE[kind] - 1 });
  return kind === "dozen" ? t(`spot_dozen_${n}`) : t(`spot_${kind}`, { n: named.join("/") });
}

/** What has to happen for the worst that this spin can cost the house. */
export const cause = ({ pocket }) => t("risk_pocket", { pocket: pocketName(pocket) });
