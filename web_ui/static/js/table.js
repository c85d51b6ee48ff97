// The table view, for the room: a TV across it, a tablet, a phone.

import { announce, h } from "./dom.js";
import { cameraLine, justNow, people } from "./aside.js";
import { card, suitEmblem } from "./card.js";
import { cardName, has, spotName, spotSuit, suitName, t } from "./page.js";
import { header, phaseOf, phasePill, roundPill, start } from "./shell.js";
import { betsInWords } from "./felt_svg.js";
import { moving } from "./motion.js";
import { rocheFelt } from "./roche_felt.js";
import { chipsOf, stacks } from "./stacks.js";

function draw(page) {
  const { view } = page;
  return [
    header(page, [roundPill(view), phasePill(view)]),
    h("main", { id: "main", class: `room phase-${phaseOf(view)}`, key: "main" }, h("h1", { class: "quiet" }, t("title_table")), phaseOf(view) === "betting" ? layout(view) : stacks(view), side(view), people(view)),
  ];
}

// While bets are open the stacks are empty: the room sees the layout, large, with every chip on its spot.
const layout = (view) => h("section", { class: "layout", key: "layout", "aria-label": t("bets") }, rocheFelt(view), betsInWords(view.bets, spotName));

function side(view) {
  const other = (view.phase === "settled" ? view.settled : view.bets).filter((bet) => spotSuit(bet.on) === null);
  return h(
    "aside",
    { class: "side", key: "side" },
    prompt(view),
    lastCard(view),
    view.result && result(view),
    other.length > 0 && h("section", { class: "panel", key: "other" }, h("h2", {}, t("other_bets")), h("ul", { class: "bets-on" }, chipsOf(other))),
    view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble),
    cameraLine(view),
    justNow(view),
  );
}

function prompt(view) {
  const phase = phaseOf(view);
  const suit = view.result ? suitName(view.result.cut) : "";
  const title = has(`prompt_${phase}`) ? t(`prompt_${phase}`, { suit }) : view.prompt;
  return h("section", { class: "prompt", key: "prompt", "data-suit": phase === "settled" ? view.result.cut : null }, h("p", { class: "big" }, title), h("p", { class: "sub" }, subline(view, phase)));
}

function subline(view, phase) {
  if (phase === "hold") return t("sub_hold", { why: view.hold });
  if (phase === "settled") return t(`sub_settled_${view.result.half}`, { card: cardName(view.result.last) });
  if (phase === "dealing") return view.dealt.length ? t("sub_dealing", { count: view.dealt.length, left: view.left }) : t("sub_dealing_first");
  return t("sub_betting");
}

function lastCard(view) {
  const burned = view.burned > 0 && h("p", { class: "hint" }, t("burned", { count: view.burned }));
  if (!view.last) return burned && h("section", { class: "last-card", key: "last" }, burned);
  const stack = view.stacks.find((one) => one.suit === Number(view.last[0]));
  return h(
    "section",
    { class: "last-card", key: "last", "data-suit": view.last[0], "data-place": "last" },
    card(view.last, { key: view.last, class: "large" }),
    h("div", {}, h("h2", { class: "label" }, t("last_card")), h("p", { class: "name" }, cardName(view.last)), h("p", { class: "hint" }, `${stack.name}: ${t("count_of", { count: stack.count, of: stack.cut_at })}`), burned),
  );
}

function result(view) {
  const { result: decided } = view;
  const lines = [...view.settled].sort((a, b) => b.is_won - a.is_won || b.won - a.won);
  return h(
    "section",
    { class: "panel result", key: "result", "data-suit": decided.cut },
    h("h2", {}, suitEmblem(decided.cut), t("result")),
    lines.length === 0 && h("p", { class: "hint" }, t("nobody_bet")),
    h("ul", { class: "paid" }, lines.map((line) => h("li", { key: `${line.player}/${line.on}`, class: line.is_won ? "won" : "lost" }, h("span", { class: "who" }, line.player), h("span", { class: "on" }, spotName(line.on)), h("b", {}, line.is_won ? t("paid_won", { won: line.won }) : t("paid_lost", { amount: line.amount }))))),
  );
}

// Screen readers hear the newest sentence of the log.
const newest = (view) => view.log?.at(-1);
start("room", draw, {
  onDraw: (redraw) => moving(redraw, { originOf: () => "last" }),
  onView: (view, before) => newest(view)?.seq !== newest(before)?.seq && announce(newest(view)?.text),
});
