// The table view, for the room: a TV across it, a tablet, a phone.

import { announce, h } from "../../js/dom.js";
import { cameraLine, justNow } from "../../js/aside.js";
import { suitEmblem } from "../../js/card.js";
import { cardName, has, suitName, t } from "../../js/page.js";
import { spotName, spotSuit } from "./spots.js";
import { header, phaseOf, phasePill, roundPill, start } from "../../js/shell.js";
import { moving } from "../../js/motion.js";
import { around, board, flights, lastCard, narrow } from "./room.js";
import { keepFitting } from "../../js/fit.js";
import { chipsOf } from "./stacks.js";
import { paidRows } from "../../js/sums.js";

function draw(page) {
  const { view } = page;
  return [
    header(page, [roundPill(view), phasePill(view)]),
    h(
      "main",
      { id: "main", class: `room phase-${phaseOf(view)}`, key: "main" },
      h("h1", { class: "quiet" }, t("title_table")),
      board(view),
      side(view),
      around(view),
    ),
  ];
}

function side(view) {
  const other = view.phase === "settled" ? [] : view.bets.filter((bet) => spotSuit(bet.on) === null);
  return h(
    "aside",
    { class: "side", key: "side" },
    prompt(view),
    lastCard(view),
    view.result && result(view),
    other.length > 0 &&
      h(
        "section",
        { class: "panel", key: "other" },
        h("h2", {}, t("other_bets")),
        h("ul", { class: "bets-on" }, chipsOf(other)),
      ),
    view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble),
    cameraLine(view),
    justNow(view),
  );
}

function prompt(view) {
  const phase = phaseOf(view);
  const suit = view.result ? suitName(view.result.cut) : "";
  const title = has(`prompt_${phase}`) ? t(`prompt_${phase}`, { suit }) : view.prompt;
  return h(
    "section",
    { class: "prompt", key: "prompt", "data-suit": phase === "settled" ? view.result.cut : null },
    h("p", { class: "big" }, title),
    h("p", { class: "sub" }, subline(view, phase)),
  );
}

function subline(view, phase) {
  if (phase === "hold") return t("sub_hold", { why: view.hold });
  if (phase === "settled") return t(`sub_settled_${view.result.half}`, { card: cardName(view.result.last) });
  if (phase === "dealing")
    return view.dealt.length ? t("sub_dealing", { count: view.dealt.length, left: view.left }) : t("sub_dealing_first");
  return t("sub_betting");
}

function result(view) {
  const { result: decided } = view;
  return h(
    "section",
    { class: "panel result", key: "result", "data-suit": decided.cut },
    h("h2", {}, suitEmblem(decided.cut), t("result")),
    view.settled.length === 0 ? h("p", { class: "hint" }, t("nobody_bet")) : paidRows(view.settled, spotName),
  );
}

// Screen readers hear the newest sentence of the log.
const newest = (view) => view.log?.at(-1);
narrow.addEventListener("change", () => page.redraw());
const page = start("room", draw, {
  onDrawn: keepFitting(),
  onDraw: (redraw) => moving(redraw, flights()),
  onView: (view, before) => newest(view)?.seq !== newest(before)?.seq && announce(newest(view)?.text),
});
