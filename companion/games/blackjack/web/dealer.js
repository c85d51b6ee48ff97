// The dealer's console for blackjack: take bets, tap each card's rank and suit, say what the players decide.

import { h } from "../../js/dom.js";
import { labelled, newAmount, numberIn, refusal } from "../../js/amount_field.js";
import { whoTabs } from "../../js/betting.js";
import { act, button, can, local, order, orderNext, redraw, runConsole } from "../../js/console.js";
import { data, number, t } from "../../js/page.js";
import { promptOf } from "../../js/plain.js";
import { cardText, standardCard } from "../../js/standard_card.js";
import { keyHint, seatBadge, whoTag } from "../../js/pieces.js";
import { playersTab } from "../../js/players.js";
import { playerFor } from "../../js/quick_line.js";
import { toast } from "../../js/shell.js";
import { pad } from "./cards.js";
import { liveOdds, shoe } from "./live.js";
import { ending, felt, house, insuranceOf, quickBets, spotName } from "./parts.js";
import { strategyCard } from "./strategy.js";

const DEALER = "dealer";
const WITH_CARD = ["hit", "double", "split"];
const chosen = { card: { rank: null, suit: null }, as: "hit", to: null, at: null };
const betting = { player: null, amount: newAmount("", { optional: true }) };

const step = (view) =>
  view.players.length ? { title: promptOf(view) } : { title: t("step_no_players"), hint: t("step_no_players_hint") };

// ---- the one thing to do next

function mainActions(view) {
  if (view.next_card?.do === "hole" && can(view, "hole"))
    return [{ id: "hole", label: t("do_hole"), run: () => order({ do: "hole" }) }];
  return [];
}

/** Decisions of the player whose turn it is, insurance, and the pad for the next card. */
function verbs(view) {
  if (view.hold) return null;
  forget(view);
  const takes = view.next_card && view.next_card.do !== "hole";
  return [insurance(view), decisions(view), takes && target(view), takes && cardPad(view)];
}

/** A choice belongs to one moment: once another command counts, or one less, it is forgotten. */
function forget(view) {
  const now = `${view.session}/${view.commands}/${view.undo}`;
  if (chosen.at !== now) Object.assign(chosen, { at: now, as: "hit", to: null });
}

const insurance = (view) =>
  view.may_insure.length > 0 &&
  h(
    "section",
    { class: "insurance", key: "insurance", "aria-label": t("bjspot_insurance") },
    h("p", { class: "hint" }, t("insurance_open")),
    h(
      "div",
      { class: "actions" },
      view.may_insure.map((player) =>
        button(
          `insure-${player}`,
          [
            h("span", { class: "who", "aria-hidden": "true" }, player),
            h("span", { class: "quiet" }, t("insure_who", { player })),
            h("b", {}, t("insure_for", { coins: number(insuranceOf(view, player)) })),
            keyHint(`${seatOf(view, player)} I`),
          ],
          () => insure(player),
        ),
      ),
    ),
  );

const insure = (player) => order({ do: "insure", player }, `insure-${player}`);
const seatOf = (view, name) => view.players.find((one) => one.name === name)?.seat;

const decisions = (view) =>
  view.choices.length > 0 &&
  h(
    "div",
    {
      class: "actions decisions",
      key: "decisions",
      role: "group",
      "aria-label": t("decision_of", { player: view.turn }),
    },
    WITH_CARD.filter((verb) => view.choices.includes(verb)).map((verb) =>
      h(
        "button",
        {
          type: "button",
          key: verb,
          class: `as-${verb}`,
          "aria-pressed": String(chosen.as === verb),
          "aria-keyshortcuts": keyOf(verb),
          title: unpaid(view, verb),
          "aria-disabled": unpaid(view, verb) && "true",
          onclick: () => choose(view, verb),
        },
        t(`do_${verb}`),
        keyHint(keyOf(verb)),
      ),
    ),
    button("stand", t("do_stand"), () => decide(view, "stand"), false, "S", "primary"),
    view.choices.includes("surrender") &&
      button("surrender", t("do_surrender"), () => decide(view, "surrender"), false, "G"),
  );

/** Why a decision cannot be paid for, or null: doubling and splitting cost the stake once more. */
function unpaid(view, verb) {
  if (!["double", "split"].includes(verb)) return null;
  const player = view.players.find((one) => one.name === view.turn);
  const hand = view.boxes.find((one) => one.player === view.turn)?.hands.find((one) => one.state === "turn");
  if (!player || !hand || player.coins >= hand.amount) return null;
  return t("cannot_pay", { player: player.name, coins: number(player.coins), cost: number(hand.amount) });
}

const decide = (view, verb) => orderNext({ do: verb, player: view.turn });

/** What a player says, by a key; what goes with a card waits for that. */
const KEYS = { c: "hit", d: "double", t: "split", s: "stand", g: "surrender" };

const keyOf = (verb) =>
  Object.keys(KEYS)
    .find((key) => KEYS[key] === verb)
    .toUpperCase();

function onKey(key, view) {
  const verb = KEYS[key];
  if (!verb || view.hold || !view.choices.includes(verb)) return false;
  if (WITH_CARD.includes(verb)) choose(view, verb);
  else decide(view, verb);
  return true;
}

/** The next card is for this decision; one that cannot be paid says so instead. */
function choose(view, verb) {
  const why = unpaid(view, verb);
  if (why) return toast(why);
  chosen.as = verb;
  redraw();
}

/** Whom the next card goes to; while dealing another one can be chosen. */
function target(view) {
  const to = targetOf(view);
  if (view.next_card.do !== "deal" || view.phase === "playing")
    return h("p", { class: "card-to", key: "to" }, t(`card_for_${asWhat(view)}`, { player: view.turn ?? "" }));
  return h(
    "div",
    { class: "who-tabs card-targets", key: "to", role: "group", "aria-label": t("card_goes_to") },
    view.boxes.map((box) => targetButton(box.player, to, [seatBadge(box.seat), whoTag(box.player)])),
    targetButton(DEALER, to, h("span", { class: "who" }, t("dealer"))),
    can(view, "hole") && !view.dealer.has_hole && button("hole", t("do_hole"), () => order({ do: "hole" })),
  );
}

const targetButton = (name, to, content) =>
  h(
    "button",
    {
      type: "button",
      key: name,
      class: "player-button",
      "aria-pressed": String(name === to),
      onclick: () => ((chosen.to = name), redraw()),
    },
    content,
  );

const targetOf = (view) => chosen.to ?? view.next_card.to;
const asWhat = (view) => (view.next_card.do === "hit" ? chosen.as : view.next_card.do);

function give(view, card) {
  const verb = asWhat(view);
  if (verb === "deal") return orderNext({ do: "deal", to: targetOf(view), card }, "card");
  if (verb === "split") return orderNext({ do: "split", cards: [card], player: view.turn }, "card");
  return orderNext({ do: verb, card, ...(view.turn ? { player: view.turn } : {}) }, "card");
}

const cardPad = (view) =>
  pad(chosen.card, {
    usedUp: new Set(view.used_up),
    busy: local.busy.has("card"),
    onCard: (card) => give(view, card),
    redraw,
  });

/** An insurance that is typed, "3 i", or a card: "as", "10h". */
function typed(view, words) {
  const player = words.length === 2 && words[1] === "i" && playerFor(words[0], view);
  if (!player || !view.may_insure.includes(player.name)) return typedCard(view, words);
  const price = t("insure_for", { coins: number(insuranceOf(view, player.name)) });
  return {
    seat: player.seat,
    say: `${t("insure_who", { player: player.name })} ${price}`,
    run: () => insure(player.name),
  };
}

function typedCard(view, [word, ...more]) {
  const id = more.length === 0 && standardCard(word);
  if (!id || !view.next_card || view.next_card.do === "hole") return null;
  if (view.used_up.includes(id)) return { say: t("quick_dealt", { card: cardText(id) }) };
  const to = asWhat(view) === "deal" ? targetOf(view) : (view.turn ?? DEALER);
  return { say: `${cardText(id)} → ${to === DEALER ? t("dealer") : to}`, run: () => give(view, id) };
}

// ---- bets

function betsTab(view) {
  if (!can(view, "bet")) return [h("p", { class: "hint", key: "closed" }, t("bets_closed")), felt(view), house(view)];
  const player = view.players.find((one) => one.name === betting.player) ?? view.players[0];
  if (!player) return h("p", { class: "hint" }, t("no_players"));
  const bet = (amount) => order({ do: "bet", player: player.name, amount }, "bet").then(emptied);
  return [
    whoTabs(view, player, (name) => ((betting.player = name), redraw())),
    h(
      "div",
      { class: "actions quick-bets", key: "quick", role: "group", "aria-label": t("amount") },
      quickBets(view).map((coins) =>
        button(`bet-${coins}`, t("bet_coins", { n: coins }), () => bet(coins), tooDear(player, coins)),
      ),
    ),
    h(
      "form",
      {
        class: "amount-form",
        key: "form",
        "data-verb": "bet",
        onsubmit: (event) => (event.preventDefault(), send(bet)),
      },
      labelled(t("amount"), betting.amount, redraw, { name: "amount" }),
      h("button", { type: "submit", class: "primary" }, t("do_bet")),
    ),
    h("ul", { class: "bet-list", key: "list" }, view.bets.map(betLine)),
    house(view),
  ];
}

/** Why a player cannot bet so much, or false. */
const tooDear = (player, coins) =>
  player.coins < coins && t("cannot_pay", { player: player.name, coins: number(player.coins), cost: number(coins) });

function send(bet) {
  const why = refusal({ ...betting.amount, optional: false }); // an empty field is complained of when the form is sent
  return why ? toast(why, "error") : bet(numberIn(betting.amount));
}

const emptied = (isDone) => isDone && ((betting.amount.text = ""), redraw());

const betLine = (bet) =>
  h(
    "li",
    { key: bet.player },
    h("span", {}, h("strong", {}, bet.player)),
    h("b", {}, number(bet.amount)),
    button(
      `back-${bet.player}`,
      t("take_back"),
      () => order({ do: "take-back", player: bet.player }, `back-${bet.player}`),
      false,
      null,
      "quiet-button",
    ),
  );

// ---- what the hand to act is worth

const oddsTab = (view) => [
  liveOdds("dealer", view, redraw),
  shoe(view),
  h("h2", { key: "card" }, t("strategy")),
  strategyCard(),
  data.switches &&
    h(
      "p",
      { class: "actions", key: "print" },
      ["card", "a5"].map((size) =>
        h(
          "a",
          {
            key: size,
            class: "button",
            href: `/api/v1/setup/sheets/slips.pdf?game=blackjack&size=${size}`,
            download: "",
          },
          t(`print_${size}`),
        ),
      ),
    ),
];

runConsole({
  byHand: "bets",
  tabs: ["bets", "odds"],
  pills: () => null,
  step,
  mainActions,
  verbs,
  lead: (view) => view.boxes.length === 0 && ending(view),
  board: (view) => local.tab !== "bets" && felt(view), // the tab has the bets, or the felt
  bodies: {
    bets: betsTab,
    odds: oddsTab,
    players: (view) => playersTab(view, { act, order, can, busy: local.busy }),
  },
  quick: {
    hint: "quick_hint_standard",
    read: typed,
    examples: [
      ["3 50", "key_bet_plain"],
      ["/as", "key_card"],
      ["10h", "key_card"],
      ["3 i", "key_insure"],
    ],
  },
  keys: [["C D T S G", "key_decide"]],
  onKey,
  tabKeys: { b: "bets", o: "odds", p: "players", v: "camera", l: "log" },
  shows: ["chances", "timer"],
  spotName,
  cause: (worst) => worst && t(`worst_${worst.dealer}`),
  // Only of the stakes as they lie: with enough coins a player may come to eight times the bet.
  atMost: (coins) => (coins === 0 ? t("most_lost_none") : t("most_lost", { coins: number(coins) })),
});
