// The layouts of Roche and Grand Roche as the printed mats have them, in the mat's own millimetres.

import { h } from "../../js/dom.js";
import { betsBySpot, betsNow, isClosed, zone } from "../../js/felt_svg.js";
import { data, priceText, suitName, t } from "../../js/page.js";
import { spotName } from "./spots.js";

export const STRIP = ["day", "cut", "night"];
const NAMES_MM = 26;

const seatOf = (view) => (name) => view.players.find((player) => player.name === name)?.seat ?? null;
const named = (on, view) => t("spot_pays", { spot: spotName(on), price: priceText(view.spots[on]) });
const use = (what, x, y, size, cls) =>
  h("use", { href: `#${what}`, x: x - size / 2, y: y - size / 2, width: size, height: size, class: cls });

/** The whole layout with its bets. `data.zones` are the mat's: {on: [x, y, width, height]}. */
export function rocheFelt(view) {
  const zones = Object.entries(data.zones).filter(([on]) => on in view.spots);
  const left = Math.min(...zones.map(([, box]) => box[0]));
  const right = Math.max(...zones.map(([, box]) => box[0] + box[2]));
  const top = Math.min(...zones.map(([, box]) => box[1])) - NAMES_MM;
  const bottom = Math.max(...zones.map(([, box]) => box[1] + box[3]));
  const spots = betsBySpot(betsNow(view));
  const more = { seatOf: seatOf(view) };
  return h(
    "svg",
    {
      class: `roche-felt ${view.layout}`,
      key: "felt",
      role: "img",
      "aria-label": t("felt_roche"),
      viewBox: `${left - 3} ${top - 3} ${right - left + 6} ${bottom - top + 6}`,
      preserveAspectRatio: "xMidYMid meet",
    },
    view.stacks.map((stack) => columnName(stack, top)),
    zones.map(([on, [x, y, width, height]]) => one(on, { x, y, width, height }, view, spots.get(on) || [], more)),
  );
}

function columnName(stack, top) {
  const left = data.zones[`cut/${stack.suit}`][0];
  return h(
    "g",
    { key: `name${stack.suit}`, "data-suit": stack.suit, class: "column-name" },
    use(`suit-${stack.suit}`, left + 10, top + 12, 17, "figure"),
    h("text", { x: left + 22, y: top + 17 }, suitName(stack.suit)),
  );
}

// High spots have their print above the chips, low ones at their left.
function one(on, box, view, bets, more) {
  const [kind, what] = on.split("/");
  const low = ["cut", "starlight"].includes(kind) && box.width > 1.6 * box.height;
  const isFlat = ["day", "night"].includes(kind) && box.height < 50; // the price stays to be read above the chips
  const chip = Math.min(18, box.width / 2.3, box.height / (low ? 2.2 : SMALL.includes(kind) ? 2.1 : isFlat ? 5 : 3.4));
  const place = low
    ? { indent: box.width * 0.56 }
    : { top: SMALL.includes(kind) ? 0 : Math.min(box.height * (box.height < 50 ? 0.6 : 0.42), 40) };
  return h(
    "g",
    { key: on, "data-suit": what?.[0] },
    zone(
      {
        ...box,
        ...place,
        on,
        name: named(on, view),
        isClosed: isClosed(view, on),
        cls: `kind-${kind}${what?.[1] === "N" ? " card-night" : ""}`,
      },
      PRINTED[kind](box, what, priceText(view.spots[on]), low),
      bets,
      { ...more, chip, least: Math.min(chip, 11) },
    ),
  );
}

const LETTER = 0.66; // of a letter of the words in bold, its width in font sizes
const SMALL = ["card", "terminus", "oscura"];
const fitting = (text, width, most) => Math.min(most, (width - 6) / (text.length * 0.6));
const price = (box, text, y, most, x = box.x + box.width / 2, width = box.width) =>
  h("text", { class: "price", x, y, style: { "font-size": `${fitting(text, width, most).toFixed(1)}px` } }, text);

/** Day and night: the sign, the word, the price. */
function half(name) {
  return (box, _, pays) => {
    const word = t(`kind_${name}`);
    const size = Math.min(15, box.height * 0.24, (box.width - 5) / (1.25 + word.length * LETTER));
    const y = box.y + Math.min(box.height * 0.18, 13);
    const across = size * (1.25 + word.length * LETTER);
    const left = box.x + (box.width - across) / 2;
    return [
      use(`half-${name}`, left + size / 2, y, size, "half-sign"),
      h(
        "text",
        {
          class: "half-word",
          x: left + size * 1.25,
          y: y + size * 0.36,
          style: { "font-size": `${size.toFixed(1)}px` },
        },
        word,
      ),
      price(box, pays, y + Math.min(21, box.height * 0.42), Math.min(17, box.height * 0.34)),
    ];
  };
}

function cut(box, suit, pays, low) {
  if (low)
    return [
      use(`suit-${suit}`, box.x + box.width * 0.12, box.y + box.height / 2, box.height * 0.45, "figure"),
      h(
        "text",
        { class: "half-word", x: box.x + box.width * 0.24, y: box.y + 16, style: { "font-size": "11px" } },
        t("kind_cut"),
      ),
      price(box, pays, box.y + box.height - 8, 15, box.x + box.width * 0.38, box.width * 0.36),
    ];
  return [
    use(`suit-${suit}`, box.x + box.width / 2, box.y + box.height * 0.62, box.width * 0.6, "watermark"),
    h(
      "text",
      {
        class: "half-word",
        x: box.x + box.width / 2,
        y: box.y + 15,
        style: { "font-size": "14px", "text-anchor": "middle" },
      },
      t("kind_cut"),
    ),
    price(box, pays, box.y + 34, 17),
  ];
}

function single(box, what) {
  return [
    h("text", { class: "card-no", x: box.x + 5, y: box.y + 17 }, what.slice(2)),
    use(what[1] === "D" ? "half-day" : "half-night", box.x + box.width - 9, box.y + 11, 10, "half-sign"),
  ];
}

/** Words that print no larger than `most`, nor wider than there is room. */
const fitted = (key, x, y, width, most, more = {}) => {
  const size = Math.min(most, width / (t(key).length * LETTER));
  return h("text", { class: "small", x, y, style: { "font-size": `${size.toFixed(1)}px`, ...more } }, t(key));
};
const small = (key) => (box) => fitted(key, box.x + box.width / 2, box.y + box.height / 2 + 3, box.width - 1, 8);

const PRINTED = {
  cut,
  day: half("day"),
  night: half("night"),
  card: single,
  terminus: small("felt_terminus"),
  oscura: small("felt_oscura"),
  starlight: (box, _, pays) => [
    fitted("felt_starlight", box.x + 3, box.y + 11, box.width * 0.56 - 3, 9.5, { "text-anchor": "start" }),
    price(box, pays, box.y + 22, 11, box.x + box.width * 0.28, box.width * 0.56),
  ],
  cavalry: (box, _, pays) => [
    h("text", { class: "small", x: box.x + box.width / 2, y: box.y + 18 }, t("kind_cavalry")),
    price(box, pays, box.y + 36, 15),
  ],
};

/** One suit's day, cut and night side by side, for under its stack. */
export function strip(suit, view) {
  const spots = betsBySpot(betsNow(view));
  const wide = { day: [0, 62], cut: [66, 84], night: [154, 62] };
  return h(
    "svg",
    {
      class: "strip roche-felt",
      key: "strip",
      viewBox: "-1 -1 218 94",
      role: "img",
      "aria-label": t("felt_of", { suit: suitName(suit) }),
    },
    STRIP.map((kind) => {
      const on = `${kind}/${suit}`;
      const [x, width] = wide[kind];
      const box = { x, y: 0, width, height: 92 };
      const word = t(`kind_${kind}`);
      const size = Math.min(16, (width - 8) / (word.length * 0.56));
      const print = [
        h(
          "text",
          {
            class: "half-word",
            x: x + width / 2,
            y: 15,
            style: { "font-size": `${size.toFixed(1)}px`, "text-anchor": "middle" },
          },
          word,
        ),
        price(box, priceText(view.spots[on]), 35, 18, x + width / 2, width),
      ];
      return zone(
        { ...box, on, name: named(on, view), isClosed: isClosed(view, on), cls: `kind-${kind}`, top: 38 },
        print,
        spots.get(on) || [],
        {
          seatOf: seatOf(view),
          chip: 23,
          least: 14,
        },
      );
    }),
  );
}
