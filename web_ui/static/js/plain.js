// A table whose game draws no page of its own: what lies there as lists, and what a game's verbs and facts are called.

import { h } from "./dom.js";
import { people } from "./aside.js";
import { data, has, named, number, priceText, t } from "./page.js";
import { potName } from "./pieces.js";
import { outcomeText } from "./sums.js";

/** @typedef {import("./types").RoomView} RoomView */

/** What every view has; anything else is the game's own. */
const COMMON = new Set([
  ...["bank", "bets", "camera", "chances", "chips", "commands", "expected", "game", "head", "hold", "house"],
  ...[
    "floor",
    "intention",
    "latest",
    "limits",
    "log",
    "notices",
    "odds",
    "options",
    "paused",
    "payments",
    "phase",
    "players",
    "pots",
  ],
  ...["practice", "prompt", "questions", "reasons", "redo", "result", "risk", "round", "rounds", "seq", "session"],
  ...["settled", "sight", "spots", "staked", "timer", "trouble", "undo", "undoes", "version", "you"],
]);

/** What is bet on, in words; its id where the game has none. */
export const spotName = (on) => data.spot_names?.[on] ?? on;

/**
 * What is to be done next, in the game's words; nothing while the table is on hold.
 * @param {RoomView} view
 */
export const promptOf = (view) => (view.hold ? named("phase", "hold") : view.prompt || named("phase", view.phase));

/**
 * What lies on the table: what is bet and on what, the pots, and what else the game tells.
 * @param {RoomView} view
 * @param {{bets?: boolean}} show the bets, unless they stand elsewhere on the page
 */
export const board = (view, { bets = true } = {}) =>
  h(
    "section",
    { class: "plain-board", key: "board", "aria-label": t("bets") },
    facts(view),
    bets && betList(view),
    pots(view),
  );

/** Who sits round it, and the bank. */
export const around = (view) => people(view);

/** There is no card or die to show large. */
export const lastCard = () => null;

/** Nothing flies. */
export const flights = () => ({});

/**
 * All bets, the latest last.
 * @param {RoomView & {bets?: import("./types").Stake[]}} view
 * @param {function(object): object} extra what stands behind a bet, such as a button
 */
export function betList(view, extra = () => null) {
  const bets = view.bets ?? [];
  return h(
    "section",
    { class: "panel", key: "bets" },
    h("h2", {}, t("bets")),
    bets.length === 0 && h("p", { class: "hint" }, t("no_bets")),
    h(
      "ul",
      { class: "plain-list" },
      bets.map((bet) => betRow(bet, view, extra)),
    ),
  );
}

const betRow = (bet, view, extra) =>
  h(
    "li",
    { key: `${bet.player}/${bet.on}` },
    h("span", { class: "who" }, bet.player),
    h(
      "span",
      { class: "on" },
      spotName(bet.on),
      view.spots?.[bet.on] && ` · ${t("pays", { price: priceText(view.spots[bet.on]) })}`,
    ),
    h("b", {}, number(bet.amount)),
    extra(bet),
  );

function pots(view) {
  const all = Object.entries(view.pots ?? {});
  if (all.length === 0) return null;
  const row = ([name, coins]) =>
    h("li", { key: name }, h("span", { class: "on" }, potName(name)), h("b", {}, number(coins)));
  const list = h("ul", { class: "plain-list" }, all.map(row));
  return h("section", { class: "panel", key: "pots" }, h("h2", {}, t("party_pots")), list);
}

/** The game's own part of the view, as far as it is a word, a number or a list of such. */
function facts(view) {
  const own = Object.entries(view).filter(([name, value]) => !COMMON.has(name) && textOf(value, name) !== null);
  if (own.length === 0) return null;
  const pair = ([name, value]) => [
    h("dt", { key: name }, named("fact", name)),
    h("dd", { key: `${name}.` }, textOf(value, name)),
  ];
  return h("section", { class: "panel", key: "facts" }, h("dl", { class: "facts" }, own.map(pair)));
}

/** A fact in words: the catalogue's `fact_NAME_VALUE` where the game has it. */
function textOf(value, name) {
  if (typeof value === "number") return number(value);
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (typeof value === "string" && value !== "")
    return has(`fact_${name}_${value}`) ? t(`fact_${name}_${value}`) : value;
  if (!Array.isArray(value) || value.length === 0) return null;
  const parts = value.map((one) => (Array.isArray(one) ? null : textOf(one, name)));
  return parts.includes(null) ? null : parts.join(", ");
}

/** What was decided last: the sentence that says it, or else how each bet ended. */
export function outcome(view) {
  const text = [view.result, view.latest].map((one) => (typeof one === "string" ? one : one?.text)).find(Boolean);
  const lines = (view.settled ?? view.latest?.paid ?? []).filter((line) => line.player && line.on && "amount" in line);
  if (!text && lines.length === 0) return null;
  const ended = (line) =>
    h(
      "li",
      { key: `${line.player}/${line.on}` },
      h("span", { class: "who" }, line.player),
      h("span", { class: "on" }, spotName(line.on)),
      h("b", {}, outcomeText(line)),
    );
  return h(
    "section",
    { class: "panel result", key: "result" },
    h("h2", {}, t("result")),
    text ? h("p", {}, text) : h("ul", { class: "plain-list" }, lines.map(ended)),
  );
}
