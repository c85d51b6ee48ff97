// A player's phone at blackjack: own coins and hands, whose turn it is, and what can be said without a card.

import { adviceFor } from "../../js/advice.js";
import { announce, h } from "../../js/dom.js";
import { labelled, newAmount, numberIn, refusal } from "../../js/amount_field.js";
import { extras } from "../../js/aside.js";
import { once } from "../../js/betting.js";
import { brought, dues, leaveButton, meIn, ownHistory, ownPrompt, purse, viewer } from "../../js/own.js";
import { named, number, t } from "../../js/page.js";
import { promptOf } from "../../js/plain.js";
import { header, phasePill, start, toast } from "../../js/shell.js";
import { box, dealerHand, felt, house, insuranceOf, isOver, quickBets, spotName } from "./parts.js";
import { said, strategyCard } from "./strategy.js";

const amount = newAmount("", { optional: true });
let page = null;
const redraw = () => page?.redraw();
const { busy, act, offer } = once(viewer, redraw);

function draw(now) {
  const { view, live } = now;
  const me = meIn(view);
  const mine = view.boxes.find((one) => one.player === me.name);
  const isOn = live !== false && !view.hold;
  // one of them stands where another was
  offer([view.turn === me.name && view.hand, view.may_insure.includes(me.name), isOver(view)].join());
  return [
    header(now, [phasePill(view)], ["/", "/odds"]),
    h(
      "main",
      { id: "main", class: "seat-page bj-seat", key: "main" },
      purse(me),
      dues(view, me),
      prompt(view, me),
      isOver(view) && outcome(view, me),
      extras(view),
      isOn && insurance(view, me, mine),
      isOn && hint(view, me),
      isOn && view.turn === me.name && decisions(view, mine.hands[view.hand - 1]),
      isOn && view.phase === "betting" && betting(view, mine, me),
      mine && view.phase !== "betting" && own(view, mine),
      mine && view.phase !== "betting" ? others(view, me) : felt(view),
      house(view),
      basicStrategy(view, me),
      ownHistory(view, me, redraw),
      leaveButton(),
    ),
  ];
}

function prompt(view, me) {
  const isMine = view.turn === me.name;
  return ownPrompt(view, promptFor(view, me), { isMine, more: isMine && h("p", { class: "hint" }, promptOf(view)) });
}

/** What concerns this player: whose turn it is, or what goes on. What the dealer does next is the dealer's. */
function promptFor(view, me) {
  if (view.turn === me.name) return t("your_turn");
  return view.phase === "playing" ? promptOf(view) : named("phase", view.phase);
}

const own = (view, mine) =>
  h(
    "section",
    { class: "bj-felt mine", key: "mine" },
    dealerHand(view),
    h("ul", { class: "bj-boxes" }, box(mine, view)),
  );

const others = (view, me) =>
  view.boxes.length > 1 &&
  h(
    "section",
    { class: "bj-felt others", key: "others" },
    h(
      "ul",
      { class: "bj-boxes" },
      view.boxes.filter((one) => one.player !== me.name).map((one) => box(one, view)),
    ),
  );

// ---- what can be said by phone

const say = (verb, label, cls = "", record = {}) =>
  h(
    "button",
    {
      type: "button",
      key: verb,
      class: cls,
      "aria-disabled": off(verb),
      onclick: () => act(verb, { do: verb, ...record }),
    },
    label,
  );

/** What is said of the hand that the phone shows must not count for another one; what others do does not matter. */
const about = ({ dealer }, hand) => ({
  only: { hand: hand.number, cards: hand.cards, stake: hand.amount, dealer: dealer.cards },
});

const decisions = (view, hand) =>
  view.choices.length > 0 &&
  h(
    "section",
    { class: "panel my-turn", key: "decide" },
    h("p", { class: "hint" }, t(view.choices.includes("split") ? "say_card_or_split" : "say_card")),
    h(
      "div",
      { class: "actions" },
      say("stand", t("do_stand"), "primary", about(view, hand)),
      view.choices.includes("surrender") && say("surrender", t("do_surrender"), "", about(view, hand)),
    ),
  );

// ---- what basic strategy says: off until this player turns it on, on this phone alone

const hintKey = (me) => `blackjack-hint/${me.name}`;

function wantsHint(me) {
  try {
    return localStorage.getItem(hintKey(me)) === "on";
  } catch {
    return false; // no storage: off
  }
}

function turnHint(me, on) {
  try {
    if (on) localStorage.setItem(hintKey(me), "on");
    else localStorage.removeItem(hintKey(me));
  } catch {
    toast(t("hint_no_storage"), "error");
  }
  redraw();
}

function hint(view, me) {
  if (view.hints === false || !wantsHint(me)) return null;
  if (view.may_insure.includes(me.name) && view.turn !== me.name) return hintPanel(t("hint_insurance"));
  if (view.turn !== me.name) return null;
  const says = adviceFor(viewer, view, redraw).hint;
  return says && hintPanel(view.may_insure.includes(me.name) && t("hint_insurance"), t("hint", { what: said(says) }));
}

const hintPanel = (...lines) =>
  h(
    "section",
    { class: "panel bj-hint", key: "hint", role: "status" },
    lines.filter(Boolean).map((line) => h("p", { key: line }, line)),
  );

const basicStrategy = (view, me) =>
  h(
    "details",
    { class: "panel", key: "strategy" },
    h("summary", {}, t("strategy")),
    view.hints === false
      ? h("p", { class: "hint" }, t("hint_off"))
      : h(
          "label",
          { class: "switch" },
          h("input", {
            type: "checkbox",
            role: "switch",
            checked: wantsHint(me),
            onchange: (event) => turnHint(me, event.target.checked),
          }),
          h("span", {}, t("hint_on")),
        ),
    strategyCard(),
  );

function insurance(view, me, mine) {
  if (!view.may_insure.includes(me.name)) return null;
  const price = `${t("do_insure")} ${t("insure_for", { coins: number(insuranceOf(view, me.name)) })}`;
  return h(
    "section",
    { class: "panel insurance", key: "insurance" },
    h("p", {}, t("insurance_ask")),
    h("div", { class: "actions" }, say("insure", price, "", about(view, mine.hands[0]))),
  );
}

function betting(view, mine, me) {
  const bet = (coins) => act("bet", { do: "bet", amount: coins });
  return h(
    "section",
    { class: "panel", key: "betting" },
    h(
      "div",
      { class: "actions quick-bets", role: "group", "aria-label": t("amount") },
      quickBets(view).map((coins) =>
        h(
          "button",
          {
            type: "button",
            key: coins,
            "aria-disabled": me.coins < coins ? "true" : off("bet"),
            onclick: () => (me.coins < coins ? toast(t("cannot_pay_mine", { coins: number(me.coins) })) : bet(coins)),
          },
          t("bet_coins", { n: coins }),
        ),
      ),
    ),
    h(
      "form",
      { class: "amount-form", "data-verb": "bet", onsubmit: (event) => (event.preventDefault(), send(bet)) },
      labelled(t("amount"), amount, redraw, { name: "amount" }),
      h("button", { type: "submit", class: "primary", "aria-disabled": off("bet") }, t("do_bet")),
    ),
    mine && say("take-back", t("take_back_mine", { amount: number(mine.hands[0].amount) }), "quiet-button"),
  );
}

async function send(bet) {
  const why = refusal({ ...amount, optional: false }); // an empty field is complained of when the form is sent
  if (why) return toast(why, "error");
  if (await bet(numberIn(amount))) amount.text = "";
  redraw();
}

const off = (name) => (busy.has(name) ? "true" : null);

/** What the last round brought me. */
function outcome(view, me) {
  const lines = view.settled.filter((line) => line.player === me.name);
  if (lines.length === 0) return null;
  const net = lines.reduce((sum, line) => sum + line.won + line.returned - line.amount, 0);
  const text =
    net > 0 ? t("you_won", { won: number(net) }) : net < 0 ? t("you_lost", { lost: number(-net) }) : t("you_even");
  return h(
    "section",
    { class: `outcome ${net > 0 ? "up" : net < 0 ? "down" : ""}`, key: "outcome" },
    h("div", {}, h("p", { class: "big" }, text), brought(lines, spotName), h("p", {}, view.summary)),
  );
}

page = start(viewer, draw, {
  onView: (view, before) => promptOf(view) !== promptOf(before) && announce(promptOf(view)),
});
