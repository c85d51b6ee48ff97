// The table view, for the room.

import { h } from "../../js/dom.js";
import { suitEmblem } from "../../js/card.js";
import { cardName, has, suitName, t } from "../../js/page.js";
import { runRoom } from "../../js/room_frame.js";
import { spotName, spotSuit } from "./spots.js";
import { phaseOf, roundPill } from "../../js/shell.js";
import { around, board, flights, lastCard, narrow } from "./room.js";
import { chipsOf } from "./stacks.js";
import { paidRows } from "../../js/sums.js";

function side(view) {
  const other = view.phase === "settled" ? [] : view.bets.filter((bet) => spotSuit(bet.on) === null);
  return [
    lastCard(view),
    view.result && result(view),
    other.length > 0 &&
      h(
        "section",
        { class: "panel", key: "other" },
        h("h2", {}, t("other_bets")),
        h("ul", { class: "bets-on" }, chipsOf(other)),
      ),
  ];
}

function prompt(view) {
  const phase = phaseOf(view);
  const suit = view.result ? suitName(view.result.cut) : "";
  return {
    title: has(`prompt_${phase}`) ? t(`prompt_${phase}`, { suit }) : view.prompt,
    sub: subline(view, phase),
    suit: phase === "settled" ? view.result.cut : null,
  };
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

const page = runRoom({ look: () => "", pills: roundPill, board, around, prompt, side, flights: () => flights() });
narrow.addEventListener("change", () => page.redraw());
