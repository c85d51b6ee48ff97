// The table view of the Rugen games, for the room: a TV across it, a tablet, a phone.

import { announce, h } from "./dom.js";
import { cameraLine, extras, justNow, wordsButton } from "./aside.js";
import { moving } from "./motion.js";
import { number, t } from "./page.js";
import { coinRow, partyName, seatBadge } from "./pieces.js";
import { spotName } from "./rugen_parts.js";
import { around, board, flights, lastCard, narrow } from "./room_rugen.js";
import { sideBets } from "./rugen_spaces.js";
import { promptOf } from "./rugen_words.js";
import { header, phaseOf, phasePill, start } from "./shell.js";

let settledBefore = 0;

function draw(page) {
  const { view } = page;
  return [
    header(page, [phasePill(view)], undefined, wordsButton(view)),
    h("main", { id: "main", class: `room rugen ${view.game} phase-${phaseOf(view)}`, key: "main" }, h("h1", { class: "quiet" }, t("title_table")), board(view), side(view), around(view)),
  ];
}

function side(view) {
  return h("aside", { class: "side", key: "side" }, prompt(view), lastCard(view), paid(view), sideBets(view), extras(view), view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble), cameraLine(view), justNow(view));
}

function prompt(view) {
  const { title, sub, player } = promptOf(view);
  const seat = player && view.players.find((one) => one.name === player)?.seat;
  return h("section", { class: "prompt", key: "prompt" }, h("p", { class: "big" }, seat && [seatBadge(seat), " "], title), sub && h("p", { class: "sub" }, sub));
}

// What the last throw paid, or what the whole chain did once it is broken.
function paid(view) {
  const lines = view.chain.length ? (view.settled || []).slice(settledBefore) : view.result?.paid;
  if (view.result?.transfers && (view.chain.length === 0 || view.wager.number)) return h("section", { class: "panel result", key: "paid" }, h("h2", {}, view.result.winner ? t("wins_all", { player: view.result.winner }) : t("house_wins")), h("ul", { class: "paid" }, view.result.transfers.map((one, i) => h("li", { key: i }, h("span", { class: "who" }, partyName(one.from)), h("span", { class: "on" }, `→ ${partyName(one.to)}`), coinRow(one.coins)))));
  if (!lines?.length) return null;
  const sorted = [...lines].sort((a, b) => b.won - a.won);
  return h("section", { class: "panel result", key: "paid" }, h("h2", {}, t(!view.chain.length ? "paid_chain" : settledBefore === 0 && view.chain.length > 1 ? "paid_since" : "paid_throw")), h("ul", { class: "paid" }, sorted.map((line, i) => h("li", { key: `${line.player}/${line.on}/${i}`, class: line.won ? "won" : "lost" }, h("span", { class: "who" }, line.player), h("span", { class: "on" }, spotName(line.on)), h("b", {}, line.won ? t("paid_won", { won: number(line.won) }) : t("paid_lost", { amount: number(line.amount) }))))));
}

const newest = (view) => view.log?.at(-1);
narrow.addEventListener("change", () => page.redraw());
const page = start("room", draw, {
  onView(view, before) {
    if (newest(view)?.seq !== newest(before)?.seq) announce(newest(view)?.text);
    if (view.throws !== before.throws) settledBefore = view.chain.length > 1 && view.throws > before.throws ? (before.settled || []).length : 0;
  },
  onDraw: (redraw, view, before) => moving(redraw, flights(view, before)),
});
