// Bets and cards at typing speed: one line, read anew with every key, and done on Enter. What it was understood as
// stands beside it in words before anything happens; what is not clear is not done.

import { h } from "./dom.js";
import { spotsFor } from "./quick_spots.js";
import { number, priceText, t } from "./page.js";
import { keyHint, seatBadge } from "./pieces.js";

/** @typedef {{say: string, seat?: number, run: function(): Promise}} Understood */

const line = { open: false, text: "", player: null, waiting: [] };
let focusNext = false;

/** Whether the line is open. */
export const isOpen = () => line.open;

/** Open the line with what was typed so far. */
export function openLine(text, redraw) {
  Object.assign(line, { open: true, text });
  focusNext = true;
  redraw();
}

function close(redraw) {
  Object.assign(line, { open: false, text: "" });
  redraw();
}

/**
 * The line, where it is open.
 * @param {import("./types").RoomView} view
 * @param {object} game its quick: {hint, closed, now(view): what to type, what once bets are closed, and what at a
 *   moment, bare: the kind of spot that a number alone stands for, read(view, words) → Understood | null: what is typed
 *   beside bets}, spotName(on)
 * @param {{can: function, order: function, isBusy: function, redraw: function}} use
 */
export function quickLine(view, game, use) {
  const next = () => doNext(view, game, use);
  if (line.waiting.length > 0) queueMicrotask(next); // also once the line is closed
  if (!line.open || !game.quick) return null;
  const found = understand(line.text, view, game, use);
  const send = (event) => {
    event.preventDefault();
    if (!found.run) return;
    line.waiting.push(line.text);
    line.text = "";
    use.redraw(); // at once: what is typed next must not be added to it
    next();
  };
  return h(
    "form",
    { class: "quick-line", key: "quick", onsubmit: send },
    h("input", {
      key: "text",
      type: "text",
      class: "quick-text",
      "aria-label": t("quick_label"),
      "aria-describedby": "quick-says",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      maxlength: 60,
      value: line.text,
      oninput: (event) => ((line.text = event.target.value), use.redraw()),
      onkeydown: (event) => keys(event, use.redraw),
    }),
    h(
      "p",
      { key: "says", id: "quick-says", class: `quick-says${found.run ? " ready" : ""}`, role: "status" },
      found.seat && [seatBadge(found.seat), " "],
      found.say,
    ),
    h(
      "button",
      { type: "submit", key: "do", class: found.run ? "primary" : "", "aria-disabled": found.run ? null : "true" },
      t("quick_do"),
      keyHint("↵"),
    ),
  );
}

/** Do what waits, one after another: a hand that types fast is ahead of the table, and nothing it typed is lost. */
function doNext(view, game, use) {
  if (line.waiting.length === 0 || use.isBusy()) return;
  const text = line.waiting.shift();
  const found = understand(text, view, game, use);
  if (found.player) line.player = found.player;
  if (!found.run) Object.assign(line, { open: true, text }); // the table has moved on: it stands there again, with the reason
  use.redraw();
  found.run?.();
}

/** Focus the line after it was drawn for the first time. */
export function focusLine() {
  if (!focusNext) return;
  focusNext = false;
  const field = document.querySelector(".quick-text");
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}

function keys(event, redraw) {
  const isLeft = event.key === "Escape" || (event.key === "Backspace" && event.target.value === "");
  if (!isLeft) return;
  event.preventDefault();
  event.stopPropagation();
  close(redraw);
}

/** What a line says, as the table is now. */
function understand(text, view, game, { can, order }) {
  const words = text.trim().replace(/^\//, "").toLowerCase().split(/\s+/).filter(Boolean); // "/" has opened it
  if (words.length === 0)
    return {
      say: t(game.quick.now?.(view) || (!can(view, "bet") && game.quick.closed) || game.quick.hint || "quick_hint"),
    };
  const other = game.quick.read?.(view, words);
  if (other) return other;
  if (!can(view, "bet")) return { say: t("quick_unknown") };
  return view.spots ? onSpot(words, view, game, order) : onNothing(words, view, order);
}

/** A bet on a spot: seat, spot, coins; without a seat for whoever bet last. */
function onSpot(words, view, game, order) {
  const [coins, name, seat, ...more] = [...words].reverse();
  if (!/^\d+$/.test(coins) || name === undefined || more.length > 0) return { say: t("quick_hint") };
  const player = playerFor(seat, view);
  if (!player) return { say: t("quick_who") };
  const spots = spotsFor(name, Object.keys(view.spots), game.quick.bare, game.spotName);
  if (spots.length === 0) return { say: t("quick_no_spot", { text: name }) };
  if (spots.length > 1)
    return { say: t("quick_which", { spots: spots.slice(0, 4).map(game.spotName).join(" · ") }), seat: player.seat };
  const [on] = spots;
  const amount = Number(coins);
  return {
    ...bet(player, amount, order, { on }),
    say: t("quick_bet", {
      player: player.name,
      amount: number(amount),
      spot: game.spotName(on),
      price: priceText(view.spots[on]),
    }),
  };
}

/** A bet where there is nothing to choose: seat and coins. */
function onNothing(words, view, order) {
  const [coins, seat, ...more] = [...words].reverse();
  if (!/^\d+$/.test(coins) || more.length > 0) return { say: t("quick_hint_plain") };
  const player = playerFor(seat, view);
  if (!player) return { say: t("quick_who") };
  const amount = Number(coins);
  return {
    ...bet(player, amount, order, {}),
    say: t("quick_plain", { player: player.name, amount: number(amount) }),
  };
}

const bet = (player, amount, order, more) => ({
  seat: player.seat,
  player: player.name,
  run: () => order({ do: "bet", player: player.name, amount, ...more }, `bet/${player.name}/${more.on ?? ""}`),
});

/** A player by the number of the seat, or by how the name begins; whoever bet last where nothing is said. */
export function playerFor(word, view) {
  if (word === undefined) return view.players.find((one) => one.name === line.player);
  if (/^\d+$/.test(word)) return view.players.find((one) => one.seat === Number(word));
  const found = view.players.filter((one) => one.name.toLowerCase().startsWith(word));
  return found.length === 1 ? found[0] : undefined;
}
