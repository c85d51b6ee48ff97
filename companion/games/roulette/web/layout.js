// Where each spot of the layout is touched: on the numbers, the edges between them, their crossings and round about.
// Upright, the zero on top, for a phone; lying, the zero on the left, for a table or a television. No two places
// overlap, none is narrower than 28 units, and upright the whole is 350 units wide. Lying, there is room for wider
// strips: a word and the chips below it are read on a small picture too.

const WIDTH = 350;
const STRIP = 38; // dozens, and beside them the even-money bets
const RIM = 28; // streets and lines
const CELL = 82;
const ROW = 56;
const EDGE = 14; // a chip this near to an edge touches it
const LEFT = 2 * STRIP + RIM;
const BOTTOM = 13 * ROW;
const COLUMNS = 46;
const LYING = { even: 52, dozen: 44 }; // how wide the strips are when it lies
const MORE = LYING.even + LYING.dozen - 2 * STRIP;
const EVEN = ["low", "even", "red", "black", "odd", "high"];

export const SIZE = { upright: [WIDTH, BOTTOM + COLUMNS], lying: [BOTTOM + COLUMNS, WIDTH + MORE] };

/** A place by its edges. */
const box = (on, left, top, right, bottom) => ({ on, x: left, y: top, width: right - left, height: bottom - top });

/** A place of the upright layout on the lying one: turned, what is a strip made wider. */
function turned({ on, x, y, width, height }) {
  const [low, high] = [widened(x), widened(x + width)];
  return { on, x: y, y: WIDTH + MORE - high, width: height, height: high - low };
}

/** Where a place's edge lies once the strips are wider: no edge lies within a strip. */
const widened = (x) => x + (x >= 2 * STRIP ? MORE : x >= STRIP ? LYING.even - STRIP : 0);

const columnAt = (c) => LEFT + c * CELL;
const rowAt = (r) => (r + 1) * ROW;

/** The cells as they are printed: where the numbers stand. */
export function cells(wheel, lying) {
  const half = LEFT + 1.5 * CELL;
  const zeros =
    wheel === "american"
      ? [box("0", LEFT, 0, half, ROW), box("00", half, 0, WIDTH, ROW)]
      : [box("0", LEFT, 0, WIDTH, ROW)];
  const numbers = Array.from({ length: 36 }, (_, i) => {
    const [x, y] = [columnAt(i % 3), rowAt(Math.floor(i / 3))];
    return box(String(i + 1), x, y, x + CELL, y + ROW);
  });
  return placed([...zeros, ...numbers], lying);
}

/** The places round the numbers, which are printed as they are touched. */
export function outside(lying) {
  const thirds = [0, 1, 2];
  return placed(
    [
      ...thirds.map((d) => box(`dozen/${d + 1}`, STRIP, rowAt(4 * d), 2 * STRIP, rowAt(4 * d + 4))),
      ...thirds.map((c) => box(`column/${c + 1}`, columnAt(c), BOTTOM, columnAt(c) + CELL, BOTTOM + COLUMNS)),
      ...EVEN.map((on, i) => box(on, 0, rowAt(2 * i), STRIP, rowAt(2 * i + 2))),
    ],
    lying,
  );
}

/** The places on and between the numbers. */
export function inside(wheel, lying) {
  const rows = Array.from({ length: 12 }, (_, r) => row(r)).flat();
  return placed([...(wheel === "american" ? twoZeros() : oneZero()), ...rows], lying);
}

const placed = (boxes, lying) => (lying ? boxes.map(turned) : boxes);

function row(r) {
  const n = 3 * r + 1;
  const [top, bottom] = [rowAt(r) + EDGE, rowAt(r + 1) - (r < 11 ? EDGE : 0)];
  const next = rowAt(r + 1) + EDGE; // where the edge with the next row ends
  const found = [box(`street/${n}`, LEFT - RIM, r ? top : rowAt(0), LEFT, bottom)];
  if (r < 11) found.push(box(`line/${n}`, LEFT - RIM, bottom, LEFT, next));
  for (let c = 0; c < 3; c++) {
    const [left, right] = [columnAt(c) + (c ? EDGE : 0), columnAt(c + 1) - (c < 2 ? EDGE : 0)];
    found.push(box(`straight/${n + c}`, left, top, right, bottom));
    if (r < 11) found.push(box(`split/${n + c}/${n + c + 3}`, left, bottom, right, next));
    if (c < 2) found.push(box(`split/${n + c}/${n + c + 1}`, right, top, right + 2 * EDGE, bottom));
    if (c < 2 && r < 11) found.push(box(`corner/${n + c}`, right, bottom, right + 2 * EDGE, next));
  }
  return found;
}

const ABOVE = [ROW - EDGE, ROW + EDGE];

const oneZero = () => [
  box("straight/0", LEFT, 0, WIDTH, ABOVE[0]),
  ...[0, 1, 2].map((c) => box(`split/0/${c + 1}`, columnAt(c), ABOVE[0], columnAt(c + 1), ABOVE[1])),
];

/** The two zeros share the edge over the number 2. */
function twoZeros() {
  const half = columnAt(1.5);
  const edge = (on, left, right) => box(on, left, ABOVE[0], right, ABOVE[1]);
  return [
    box("straight/0", LEFT, 0, half - EDGE, ABOVE[0]),
    box("split/0/00", half - EDGE, 0, half + EDGE, ABOVE[0]),
    box("straight/00", half + EDGE, 0, WIDTH, ABOVE[0]),
    edge("split/0/1", columnAt(0), columnAt(1)),
    edge("split/0/2", columnAt(1), half),
    edge("split/00/2", half, columnAt(2)),
    edge("split/00/3", columnAt(2), columnAt(3)),
  ];
}

const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/**
 * The next place in an arrow key's direction: of those beyond this one's edge the nearest, those beside it first.
 * @returns {string|null} its spot; null where there is none
 */
export function nextPlace(places, on, key) {
  const way = WAYS[key];
  const from = places.find((place) => place.on === on);
  if (!way || !from) return null;
  const far = (place) => distance(from, place, way);
  const ahead = places.filter((place) => place !== from && far(place) < Infinity);
  return ahead.reduce((best, place) => (best && far(best) <= far(place) ? best : place), null)?.on ?? null;
}

/** How far a place is in a direction: what lies beside the way counts a hundredfold; Infinity behind. */
function distance(from, to, [dx, dy]) {
  const gap = dx ? between(from.x, from.width, to.x, to.width, dx) : between(from.y, from.height, to.y, to.height, dy);
  if (gap < 0) return Infinity;
  const aside = dx ? apart(from.y, from.height, to.y, to.height) : apart(from.x, from.width, to.x, to.width);
  return gap + 100 * aside + 0.01 * Math.hypot(middle(from).x - middle(to).x, middle(from).y - middle(to).y);
}

const between = (at, size, other, otherSize, sign) => (sign > 0 ? other - at - size : at - other - otherSize);

/** How far two stretches are apart; less than nothing where they overlap counts as nothing. */
const apart = (at, size, other, otherSize) => {
  const gap = Math.max(other - at - size, at - other - otherSize);
  return gap < 0 ? 0 : gap + 1;
};

export const middle = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });
