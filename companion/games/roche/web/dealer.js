// The dealer's console for Roche: call the bets, deal, pay.

import { h } from "../../js/dom.js";
import { amountInput, amountReason, newAmount, numberIn, refusal } from "../../js/amount_field.js";
import { bettor, whoTabs } from "../../js/betting.js";
import { cardGrid, cardOf } from "../../js/card_grid.js";
import {
  act,
  button,
  can,
  demo,
  demoGoesOn,
  demoWaits,
  local,
  order,
  orderNext,
  redraw,
  runConsole,
} from "../../js/console.js";
import { payouts } from "./payouts.js";
import { chips, felt, newChoice } from "./felt.js";
import { cardName, suitName, t } from "../../js/page.js";
import { betsNow } from "../../js/felt_svg.js";
import { cause, spotName, spotSuit } from "./spots.js";
import { playersTab } from "../../js/players.js";
import { phaseOf, roundPill } from "../../js/shell.js";
import { smallBets, stacks } from "./stacks.js";
import { winText } from "../../js/sums.js";

const choosing = { player: null, choice: newChoice(), burn: newAmount(1, { most: 20, coins: false }) };
const bets = bettor("dealer", redraw, spotName);

function step(view) {
  const phase = phaseOf(view);
  if (phase === "betting" && view.players.length === 0)
    return { title: t("step_no_players"), hint: t("step_no_players_hint") };
  if (phase === "betting") return { title: t("step_betting"), hint: t("step_betting_hint", { count: view.staked }) };
  if (phase === "dealing")
    return { title: t(view.dealt.length ? "step_dealing" : "step_dealing_first"), hint: t("step_dealing_hint") };
  if (phase === "settled")
    return {
      title: t("step_settled"),
      hint: t("step_settled_hint", {
        suit: suitName(view.result.cut),
        card: cardName(view.result.last),
        sum: winnings(view.settled),
      }),
    };
  return { title: view.prompt };
}

/** What all winning bets come to. */
function winnings(settled) {
  const wins = settled.filter((line) => line.is_won);
  const sum = (key) => wins.reduce((coins, line) => coins + line[key], 0);
  return wins.length ? winText({ won: sum("won"), amount: sum("amount"), wins: wins.length }) : t("no_bet_won");
}

function mainActions(view) {
  const found = ["no-more-bets", "new-round"]
    .filter((verb) => can(view, verb))
    .map((verb) => ({ id: verb, label: t(`do_${verb}`), run: () => order({ do: verb }) }));
  if (local.demo && can(view, "deal")) found.unshift(demoGoesOn("demo_deal"));
  if (local.demo && can(view, "new-round"))
    found.unshift({
      id: "demo-gather",
      label: t("demo_gather"),
      run: () => demo({ do: "gather" }),
      off: demoWaits(),
    });
  return found;
}

const burn = () => orderNext({ do: "burn", count: numberIn(choosing.burn) });

/** Cards that are put away unseen before the deal. */
const burning = (view) =>
  can(view, "burn") && [
    h(
      "div",
      { class: "burn", key: "burn" },
      amountInput(choosing.burn, redraw, { "aria-label": t("burn_how_many") }),
      button("burn", t("do_burn"), burn, refusal(choosing.burn) ?? false),
    ),
    amountReason(choosing.burn),
  ];

function betsTab(view) {
  const player = view.players.find((one) => one.name === choosing.player) || view.players[0];
  const open = can(view, "bet");
  return [
    whoTabs(view, player, (name) => ((choosing.player = name), redraw())),
    view.players.length === 0 && h("p", { class: "hint", key: "none" }, t("no_players")),
    !open && h("p", { class: "hint", key: "closed" }, t("bets_closed")),
    open && limitsLine(view),
    open && player && chips(choosing.choice, redraw),
    open && player && felt(view, choosing.choice, feltUse(player.name)),
    betList(view, open),
  ];
}

const feltUse = (player) => ({
  player,
  pending: bets.pendingOf(player),
  enabled: true,
  onBet: (on, coins) => bets.bet(player, on, coins),
  redraw,
});

/** What may be bet at least and at most, where the house has set it. */
function limitsLine(view) {
  const set = ["min", "max", "cap"].filter((name) => view.limits?.[name] != null);
  return (
    set.length > 0 &&
    h(
      "p",
      { class: "hint", key: "limits" },
      t("limits_are", { text: set.map((name) => t(`limit_of_${name}`, { n: view.limits[name] })).join(", ") }),
    )
  );
}

const betList = (view, open) =>
  h(
    "ul",
    { class: "bet-list", key: "list" },
    view.bets.map((bet) => bets.line(bet, { open, named: true })),
  );

function cardsTab(view) {
  const open = can(view, "deal");
  const dealt = new Set(view.dealt);
  return [
    h("p", { class: "hint", key: "hint" }, t(open ? "cards_hint" : "cards_closed")),
    cardGrid({
      seen: dealt,
      off: (id) => !open || dealt.has(id) || local.busy.has("deal"),
      onTouch: (id) => order({ do: "deal", card: id }),
    }),
    burning(view),
  ];
}

const LIKE_A_CARD = /^\d\p{L}+\d+$/u;

/** A card that is typed: "6d3", or with the day's first letter of the page's language. */
function typedCard(view, [word, ...more]) {
  const id = more.length === 0 && cardOf(word);
  if (!can(view, "deal")) return null;
  if (!id) return more.length === 0 && LIKE_A_CARD.test(word) ? { say: t("quick_no_card", { text: word }) } : null;
  if (view.dealt.includes(id)) return { say: t("quick_dealt", { card: cardName(id) }) };
  return { say: cardName(id), run: () => order({ do: "deal", card: id }) };
}

/** Bets that belong to no suit. */
function cavalry(view) {
  const bets = betsNow(view).filter((bet) => spotSuit(bet.on) === null);
  return (
    bets.length > 0 &&
    h("section", { class: "no-suit", key: "none", "aria-label": t("other_bets") }, smallBets(bets, view))
  );
}

runConsole({
  byHand: "cards",
  tabs: ["bets", "cards"],
  pills: roundPill,
  step,
  mainActions,
  lead: (view) => payouts(view, redraw),
  board: (view) => [stacks(view, { odds: false, bets: "small" }), cavalry(view)],
  bodies: {
    bets: betsTab,
    cards: cardsTab,
    players: (view) => playersTab(view, { act, order, can, busy: local.busy }),
  },
  tabKeys: { b: "bets", c: "cards", p: "players", v: "camera", l: "log" },
  quick: {
    bare: "cut",
    closed: "quick_hint_card",
    read: typedCard,
    examples: [
      ["3 6d 10", "key_bet_spot"],
      ["6n 5", "key_bet_again"],
      ["6d3", "key_card"],
    ],
  },
  spotName,
  cause,
});
