// A player's phone at the Rugen tables: bets by touching the felt, a number by touching it, the shooter's stake.

import { announce, h } from "../../js/dom.js";
import { extras } from "../../js/aside.js";
import { bettor, once } from "../../js/betting.js";
import { brought, dues, leaveButton, meIn, ownBets, ownHistory, purse, viewer } from "../../js/own.js";
import { numberIn } from "../../js/amount_field.js";
import { number, t } from "../../js/page.js";
import { labelOf } from "../../js/pieces.js";
import { die, chainStrip, houseFelt, spotName } from "./parts.js";
import { choose, coinsText, isOpen, newChoice, newUnits, QUICK, stepper, stepperBar, takeSheet } from "./bets.js";
import { promptOf } from "./words.js";
import { sideBets, spaces } from "./spaces.js";
import { header, phasePill, start } from "../../js/shell.js";
import { winText } from "../../js/sums.js";

const choice = newChoice();
const staking = newChoice();
const choosing = { units: newUnits() };
let page = null;
const redraw = () => page?.redraw();
const bets = bettor(viewer, redraw, spotName);
const { busy, act } = once(viewer, redraw);

function draw(now) {
  const { view, live } = now;
  const me = meIn(view);
  const open = live !== false && !view.hold;
  return [
    header(now, [phasePill(view)], ["/", "/odds"]),
    h(
      "main",
      { id: "main", class: "seat-page rugen-seat", key: "main" },
      purse(me),
      outcome(view, me),
      dues(view, me),
      view.game === "rugen-house" && thisThrow(view, me),
      prompt(view, me),
      extras(view),
      chain(view),
      view.game === "rugen-house" ? house(view, me, open) : takers(view, me, open),
      ownHistory(view, me, redraw),
      leaveButton(),
    ),
    view.game === "rugen-house" &&
      open &&
      view.expected.includes("bet") &&
      choice.on &&
      h(
        "section",
        { class: "dock tall", key: "dock", "aria-label": t("amount") },
        stepperBar(view, me, choice, bets, redraw),
      ),
  ];
}

const OWN = { point: "you_throw_point", stake: "you_stake_on" };

/** What the table waits for; a player who has to do it is spoken to. */
function promptFor(view, me) {
  const said = promptOf(view);
  const isMine = said.player === me.name && OWN[view.phase];
  return isMine ? { ...said, title: t(OWN[view.phase], { n: view.point ?? 0 }) } : said;
}

function prompt(view, me) {
  const { title, sub } = promptFor(view, me);
  return h(
    "section",
    { class: "panel my-turn", key: "prompt" },
    h("p", { class: "big" }, title),
    sub && h("p", { class: "hint" }, sub),
  );
}

const chain = (view) =>
  view.chain.length > 0 &&
  h(
    "section",
    { class: "chain-place", key: "chain" },
    h("h2", { class: "label" }, t("chain_of", { count: view.chain.length })),
    chainStrip(view.chain),
  );

/** What the latest chain brought me, until the next one is under way. */
function outcome(view, me) {
  if (view.chain.length || !view.result) return null;
  const net = netOf(view.result, me.name);
  if (net === null) return null;
  const text =
    net > 0 ? t("you_won", { won: number(net) }) : net < 0 ? t("you_lost", { lost: number(-net) }) : t("you_even");
  return h(
    "section",
    { class: `outcome ${net > 0 ? "up" : net < 0 ? "down" : ""}`, key: "outcome" },
    die(view.result.face),
    h(
      "div",
      {},
      view.game === "rugen-house" && h("p", { class: "label" }, t("paid_chain")), // the last throw alone is told below
      h("p", { class: "big" }, text),
      view.stake_back > 0 &&
        view.result.winner === me.name &&
        h("p", {}, winText({ won: net, amount: view.stake_back })),
      h("p", {}, promptFor({ ...view, hold: null }, me).title),
    ),
  );
}

/** What the latest throw brought me, bet by bet. */
function thisThrow(view, me) {
  const mine = view.paid_now.filter((line) => line.player === me.name);
  return (
    mine.length > 0 &&
    h(
      "section",
      { class: "panel this-throw", key: "throw", role: "status" },
      h("h2", {}, t("paid_throw")),
      brought(mine, spotName),
    )
  );
}

function netOf(result, name) {
  if (result.paid) {
    const mine = result.paid.filter((line) => line.player === name);
    return mine.length ? mine.reduce((sum, line) => sum + (line.won || -line.amount), 0) : null;
  }
  const label = labelOf(name);
  const mine = result.transfers.filter((one) => one.from === label || one.to === label);
  return mine.length ? mine.reduce((sum, one) => sum + (one.to === label ? one.coins : -one.coins), 0) : null;
}

// ---- House

function house(view, me, open) {
  const touch = (on) => {
    choose(choice, on);
    redraw();
    uncover(on);
  };
  const mine = view.bets.filter((bet) => bet.player === me.name);
  return [
    houseFelt(view, {
      columns: 2,
      use: {
        enabled: (on) => open && isOpen(view, on),
        chosen: choice.on,
        pending: bets.pendingOf(me.name),
        onTouch: touch,
      },
    }),
    ownBets(
      mine.map((bet) => bets.line(bet, { open: open && isOpen(view, bet.on) })),
      true,
    ),
  ];
}

/** Scroll the touched spot out from under the dock. */
function uncover(on) {
  const [spot, dock] = [document.querySelector(`[data-on="${on}"]`), document.querySelector(".dock")];
  const hidden = spot && dock ? spot.getBoundingClientRect().bottom + 12 - dock.getBoundingClientRect().top : 0;
  if (hidden > 0) scrollBy({ top: hidden, behavior: "smooth" });
}

// ---- Street and Capital

function takers(view, me, open) {
  return [
    open && view.expected.includes("stake") && view.shooter === me.name && stake(view),
    open && view.expected.includes("take") && view.shooter !== me.name && take(view, me),
    spaces(view),
    sideBets(view),
  ];
}

const take = (view, me) =>
  takeSheet(view, { player: me, units: choosing.units, busy, redraw, onTake: (record) => act("take", record) });

/** The shooter must stake on the point, in its units. */
function stake(view) {
  const unit = view.units[view.point];
  choose(staking, `stake/${view.point}`, unit, view.minimum * unit);
  const coins = numberIn(staking.amount);
  const off = coins === null || busy.has("stake");
  return h(
    "section",
    { class: "bet-bar panel", key: "stake", "aria-label": t("your_point", { n: view.point }) },
    stepper(
      staking.amount,
      redraw,
      t("amount"),
      QUICK.map((times) => times * unit).filter((n) => n >= staking.amount.least),
    ),
    h(
      "button",
      {
        type: "button",
        class: "primary place",
        "aria-disabled": off ? "true" : null,
        onclick: () => !off && act("stake", { do: "stake", units: coins / unit }),
      },
      t("stake_do", { coins: coinsText(coins), n: view.point }),
    ),
  );
}

page = start(viewer, draw, {
  onView: (view, before) =>
    (view.phase !== before.phase || view.throws !== before.throws) && announce(promptOf(view).title),
});
