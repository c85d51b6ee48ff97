// A player's phone: own coins, own bets, the layout. The table's word decides; the page only asks.

import { announce, h } from "../../js/dom.js";
import { bettor } from "../../js/betting.js";
import { card, suitEmblem } from "../../js/card.js";
import { chips, felt, newChoice } from "./felt.js";
import { brought, dues, leaveButton, meIn, ownBets, ownHistory, purse, viewer } from "../../js/own.js";
import { cardName, has, suitName, t } from "../../js/page.js";
import { spotName } from "./spots.js";
import { header, phaseOf, phasePill, start } from "../../js/shell.js";
import { stacks } from "./stacks.js";

const choice = newChoice();
let page = null;
const redraw = () => page?.redraw();
const bets = bettor(viewer, redraw, spotName);

function draw(now) {
  const { view, live } = now;
  const me = meIn(view);
  const phase = phaseOf(view);
  const open = phase === "betting" && view.expected.includes("bet");
  const mine = view.bets.filter((bet) => bet.player === me.name).map((bet) => bets.line(bet, { open }));
  return [
    header(now, phasePill(view), ["/", "/odds"]),
    h(
      "main",
      { id: "main", class: "seat-page", key: "main" },
      purse(me),
      dues(view, me),
      phase === "settled" && outcome(view, me),
      phase !== "betting" && watching(view, phase),
      open && felt(view, choice, feltUse(me.name, live !== false)),
      ownBets(mine, open),
      ownHistory(view, me, redraw),
      leaveButton(),
    ),
    open && h("section", { class: "dock", key: "dock", "aria-label": t("amount") }, chips(choice, redraw)),
  ];
}

const feltUse = (player, enabled) => ({
  player,
  pending: bets.pendingOf(player),
  enabled,
  onBet: (on, coins) => bets.bet(player, on, coins),
  redraw,
});

function outcome(view, me) {
  const { cut, half, last } = view.result;
  const said = `${t("prompt_settled", { suit: suitName(cut) })} ${t(`sub_settled_${half}`, { card: cardName(last) })}`;
  const lines = view.settled.filter((line) => line.player === me.name);
  const net = lines.reduce((sum, line) => sum + (line.is_won ? line.won : -line.amount), 0);
  const text =
    lines.length === 0
      ? t("not_in_round")
      : net > 0
        ? t("you_won", { won: net })
        : net < 0
          ? t("you_lost", { lost: -net })
          : t("you_even");
  return h(
    "section",
    { class: `outcome ${net > 0 ? "up" : net < 0 ? "down" : ""}`, key: "outcome", "data-suit": view.result.cut },
    suitEmblem(view.result.cut),
    h("div", {}, h("p", { class: "big" }, text), brought(lines, spotName), h("p", {}, said)),
  );
}

function watching(view, phase) {
  return h(
    "section",
    { class: "watching", key: "watching" },
    h(
      "p",
      { class: "hint" },
      phase === "hold" ? t("sub_hold", { why: view.hold }) : has(`wait_${phase}`) ? t(`wait_${phase}`) : view.prompt,
    ),
    view.last &&
      phase === "dealing" &&
      h(
        "div",
        { class: "last-small" },
        card(view.last, { key: view.last }),
        h("p", { class: "name" }, cardName(view.last)),
      ),
    stacks(view, { odds: false, bets: false }),
  );
}

page = start(viewer, draw, {
  onView: (view, before) => view.phase !== before.phase && announce(view.prompt),
});
