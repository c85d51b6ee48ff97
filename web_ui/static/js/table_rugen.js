// The table view of the Rugen games, for the room: a TV across it, a tablet, a phone.

import { announce, h } from "./dom.js";
import { cameraLine, extras, justNow, people, wordsButton } from "./aside.js";
import { betsInWords } from "./felt_svg.js";
import { moving } from "./motion.js";
import { number, t } from "./page.js";
import { coinRow, seatBadge } from "./pieces.js";
import { chainStrip, die, faceName, houseFelt, spotName } from "./rugen_parts.js";
import { sideBets, spaces } from "./rugen_spaces.js";
import { placeOf } from "./rochi_parts.js";
import { promptOf } from "./rugen_words.js";
import { header, phaseOf, phasePill, start } from "./shell.js";

const narrow = matchMedia("(max-width: 700px)");
let settledBefore = 0;

function draw(page) {
  const { view } = page;
  return [
    header(page, [phasePill(view), wordsButton(view)]),
    h("main", { id: "main", class: `room rugen ${view.game} phase-${phaseOf(view)}`, key: "main" }, h("h1", { class: "quiet" }, t("title_table")), board(view), side(view), people(view, shooter(view))),
  ];
}

const board = (view) =>
  h("section", { class: "board-rugen", key: "board" }, view.game === "rugen-house" ? [houseFelt(view, { columns: narrow.matches ? 2 : 4 }), betsInWords(view.bets, spotName)] : spaces(view), chain(view));

function chain(view) {
  const now = view.chain.length > 0;
  const faces = now ? view.chain : view.result?.chain || [];
  if (faces.length === 0) return h("section", { class: "chain-place", key: "chain" }, h("h2", { class: "label" }, t("chain")), h("p", { class: "hint" }, t("chain_empty")));
  return h("section", { class: "chain-place", key: "chain" }, h("h2", { class: "label" }, now ? t("chain_of", { count: faces.length }) : t("chain_last")), chainStrip(faces, { broken: !now }));
}

function side(view) {
  return h("aside", { class: "side", key: "side" }, prompt(view), lastDie(view), paid(view), sideBets(view), extras(view), view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble), cameraLine(view), justNow(view));
}

function prompt(view) {
  const { title, sub, player } = promptOf(view);
  const seat = player && view.players.find((one) => one.name === player)?.seat;
  return h("section", { class: "prompt", key: "prompt" }, h("p", { class: "big" }, seat && [seatBadge(seat), " "], title), sub && h("p", { class: "sub" }, sub));
}

function lastDie(view) {
  const face = view.last || view.result?.face;
  return face && h("section", { class: "last-die", key: "die", "data-place": "die" }, die(face, { key: `${view.chain.length}/${face}`, class: "large" }), h("div", {}, h("h2", { class: "label" }, t("last_throw")), h("p", { class: "name" }, faceName(face))));
}

// What the last throw paid, or what the whole chain did once it is broken.
function paid(view) {
  const lines = view.chain.length ? (view.settled || []).slice(settledBefore) : view.result?.paid;
  if (view.result?.transfers && (view.chain.length === 0 || view.wager.number)) return h("section", { class: "panel result", key: "paid" }, h("h2", {}, view.result.winner ? t("wins_all", { player: view.result.winner }) : t("house_wins")), h("ul", { class: "paid" }, view.result.transfers.map((one, i) => h("li", { key: i }, h("span", { class: "who" }, one.from === "house" ? t("house") : one.from), h("span", { class: "on" }, `→ ${one.to === "house" ? t("house") : one.to}`), coinRow(one.coins)))));
  if (!lines?.length) return null;
  const sorted = [...lines].sort((a, b) => b.won - a.won);
  return h("section", { class: "panel result", key: "paid" }, h("h2", {}, t(!view.chain.length ? "paid_chain" : settledBefore === 0 && view.chain.length > 1 ? "paid_since" : "paid_throw")), h("ul", { class: "paid" }, sorted.map((line, i) => h("li", { key: `${line.player}/${line.on}/${i}`, class: line.won ? "won" : "lost" }, h("span", { class: "who" }, line.player), h("span", { class: "on" }, spotName(line.on)), h("b", {}, line.won ? t("paid_won", { won: number(line.won) }) : t("paid_lost", { amount: number(line.amount) }))))));
}

const shooter = (view) => (name) => name === view.shooter && h("span", { class: "tag strong shooter" }, t("shooter"));

const newest = (view) => view.log?.at(-1);
narrow.addEventListener("change", () => page.redraw());
const page = start("room", draw, {
  onView(view, before) {
    if (newest(view)?.seq !== newest(before)?.seq) announce(newest(view)?.text);
    if (view.throws !== before.throws) settledBefore = view.chain.length > 1 && view.throws > before.throws ? (before.settled || []).length : 0;
  },
  onDraw: (redraw, view, before) => moving(redraw, { originOf: () => "die", payments: view.seq === before.seq ? [] : (view.payments || []).map((one) => ({ from: placeOf(one.from), to: placeOf(one.to), chips: one.chips })) }),
});
