// A player's phone at roulette: own coins, own bets, the layout. The table's word decides; the page only asks.

import { announce, h } from "../../js/dom.js";
import { extras } from "../../js/aside.js";
import { bettor } from "../../js/betting.js";
import { chips } from "../../js/chips.js";
import { brought, dues, leaveButton, meIn, ownBets, ownHistory, purse, viewer } from "../../js/own.js";
import { number, t } from "../../js/page.js";
import { header, phaseOf, phasePill, start } from "../../js/shell.js";
import { betRows, newChoice, sheet } from "./betting.js";
import { cellSign } from "./felt.js";
import { lastNumbers } from "./numbers.js";
import { colorOf, pocketName, spotName } from "./spots.js";

const choice = newChoice();
let page = null;
const redraw = () => page?.redraw();
const bets = bettor(viewer, redraw, spotName);

function draw(now) {
  const { view, live } = now;
  const me = meIn(view);
  const phase = phaseOf(view);
  const open = phase === "betting" && view.expected.includes("bet");
  return [
    header(now, phasePill(view), ["/", "/odds"]),
    h(
      "main",
      { id: "main", class: "seat-page wheel-seat", key: "main" },
      purse(me),
      dues(view, me),
      !open && h("p", { class: "hint waiting", key: "wait" }, t(`sub_${phase}`, { why: view.hold })),
      open && outcome(view, me),
      extras(view),
      open && sheet(view, choice, { player: me.name, bets, enabled: live !== false, redraw }),
      ownBets(betRows(view, { players: new Set([me.name]), bets, open }), open),
      lastNumbers(view),
      ownHistory(view, me, redraw),
      leaveButton(),
    ),
    open && h("section", { class: "dock", key: "dock", "aria-label": t("amount") }, chips(choice, redraw)),
  ];
}

/** What the latest spin brought me, and what of mine it put in prison. */
function outcome(view, me) {
  const lines = view.settled.filter((line) => line.player === me.name);
  const inside = view.imprisoned.filter((bet) => bet.player === me.name);
  if (!view.result || lines.length + inside.length === 0) return null;
  const net = lines.reduce((sum, line) => sum + line.won + line.returned - line.amount, 0);
  return h(
    "section",
    { class: `outcome ${net > 0 ? "up" : net < 0 ? "down" : ""}`, key: "outcome" },
    h("b", { class: `pocket-sign large ${colorOf(view.result.pocket)}` }, view.result.pocket),
    h(
      "div",
      {},
      h("p", { class: "big" }, lines.length > 0 ? netText(net) : t("in_prison")),
      brought(
        lines.filter((line) => line.won + line.returned > 0),
        spotName,
      ),
      imprisoned(inside),
      h("p", {}, pocketName(view.result.pocket)),
    ),
  );
}

function netText(net) {
  if (net === 0) return t("you_even");
  return net > 0 ? t("you_won", { won: number(net) }) : t("you_lost", { lost: number(-net) });
}

const imprisoned = (bets) =>
  bets.length > 0 &&
  h(
    "ul",
    { class: "brought imprisoned" },
    bets.map((bet) =>
      h("li", { key: bet.on }, cellSign(), `${spotName(bet.on)}: `, h("b", {}, t("imprisoned", { stake: bet.amount }))),
    ),
  );

page = start(viewer, draw, {
  onView: (view, before) => view.phase !== before.phase && announce(t(`prompt_${phaseOf(view)}`)),
});
