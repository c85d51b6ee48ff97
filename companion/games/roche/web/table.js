// The table view, for the room.

import { h } from "../../js/dom.js";
import { suitEmblem } from "../../js/card.js";
import { cardName, has, number, suitName, t } from "../../js/page.js";
import { runRoom } from "../../js/room_frame.js";
import { seatBadge } from "../../js/pieces.js";
import { spotName, spotSuit } from "./spots.js";
import { phaseOf, roundPill } from "../../js/shell.js";
import { around, board, flights, lastCard, narrow } from "./room.js";
import { moreRow } from "../../js/pay_sheet.js";

function side(view) {
  const isSmall = view.layout === "grand" && view.phase !== "settled" && view.bets.length > 0;
  return [
    lastCard(view),
    view.result && view.settled.length === 0 && h("p", { class: "panel hint", key: "result" }, t("nobody_bet")),
    isSmall && allBets(view),
  ];
}

/** The spots of the grand layout are small: beside it everybody's bets are written large, by player. */
const allBets = (view) =>
  h(
    "section",
    { class: "panel all-bets", key: "bets" },
    h("h2", {}, t("bets")),
    h(
      "ul",
      { "data-rows": "" },
      view.players.filter((player) => player.staked > 0).map((player) => betsOf(player, view)),
      moreRow(),
    ),
  );

const betsOf = (player, view) =>
  h(
    "li",
    { key: player.seat, "data-row": "" },
    seatBadge(player.seat),
    h("span", { class: "who" }, player.name),
    h("span", { class: "on" }, view.bets.filter((bet) => bet.player === player.name).map(oneBet)),
  );

/** A bet in short: the suit's emblem, on what, how many coins. */
function oneBet(bet) {
  const suit = spotSuit(bet.on);
  const [kind, what] = bet.on.split("/");
  const half = { D: "day", N: "night" }[what?.[1]];
  return h(
    "span",
    { key: bet.on, title: spotName(bet.on), "data-suit": suit },
    suit && suitEmblem(suit),
    half && h("span", {}, t(half), " ", what.slice(2)),
    t(`kind_${kind}`),
    h("b", {}, number(bet.amount)),
  );
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

const page = runRoom({
  look: () => "",
  pills: roundPill,
  board,
  around,
  prompt,
  side,
  spotName,
  flights: () => flights(),
});
narrow.addEventListener("change", () => page.redraw());
