// A player's phone at Rochi and Captain's Rochi: whose turn, own suits and Shields, what each suit costs and risks.

import { announce, h } from "../../js/dom.js";
import { once } from "../../js/betting.js";
import { extras, wordsButton } from "../../js/aside.js";
import { chance, number, suitName, t } from "../../js/page.js";
import * as dialog from "../../js/dialog.js";
import { dues, leaveButton, meIn, ownHistory, purse, viewer } from "../../js/own.js";
import { card } from "../../js/card.js";
import { seatBadge } from "../../js/pieces.js";
import { howFar, sign, standing, token } from "./pieces.js";
import { seatOf, shieldsOf, stateOf, suitsOf } from "./parts.js";
import { choices, promptOf, TERMS } from "./words.js";
import { header, phasePill, start } from "../../js/shell.js";

let page = null;
const redraw = () => page?.redraw();
const { busy, act } = once(viewer, redraw);

function draw(now) {
  const { view } = now;
  const me = meIn(view);
  return [
    header(now, [phasePill(view)], ["/", "/odds"], wordsButton(TERMS)),
    h(
      "main",
      { id: "main", class: "seat-page rochi-seat", key: "main" },
      purse(me, { staked: false }),
      dues(view, me),
      turn(view, me, now.live !== false),
      extras(view),
      belongings(view, me),
      suits(view, me),
      ownHistory(view, me, redraw),
      leaveButton(),
    ),
  ];
}

// ---- my turn

function turn(view, me, live) {
  const mine = view.turn === me.name && !view.hold;
  const owes = view.odd_coin === me.name && !view.hold;
  const { title, sub } = mine
    ? { title: t("your_turn"), sub: choices(view) }
    : owes
      ? { title: t("odd_coin_yours"), sub: t("odd_coin_say") }
      : promptOf(view);
  return h(
    "section",
    { class: `panel my-turn${mine ? " now" : ""}`, key: "turn" },
    h("p", { class: "big" }, title),
    sub && h("p", { class: "hint" }, sub),
    mine && view.phase === "turns" && h("div", { class: "actions" }, turnButtons(view, me, live)),
  );
}

function turnButtons(view, me, live) {
  const fresh = !view.done.play && !view.done.deal;
  const found = [];
  const say = (verb) => act(verb, { do: verb, player: me.name }, undefined, view.seq); // of this turn as it stands
  if (!fresh) found.push(["end", () => say("end")]);
  if (view.expected.includes("fold")) found.push(["fold", () => sure("fold", say)]);
  if (view.expected.includes("pass")) found.push(["pass", () => sure("pass", say)]);
  return found.map(([verb, run]) =>
    h(
      "button",
      {
        type: "button",
        key: verb,
        class: verb === "end" ? "primary" : "",
        "aria-disabled": live && !busy.has(verb) ? null : "true",
        onclick: () => live && run(),
      },
      t(`do_${verb}`),
    ),
  );
}

// A slip of the thumb must not give a hand away.
function sure(verb, say) {
  const done = dialog.open(t(`do_${verb}`), () => [
    h("p", { class: "big" }, t(`sure_${verb}`)),
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "primary", onclick: () => (done(), say(verb)) }, t("yes")),
      h("button", { type: "button", onclick: () => done() }, t("cancel")),
    ),
  ]);
}

// ---- what is mine

function belongings(view, me) {
  const hand = view.hands.find((one) => one.player === me.name);
  const [suits_, shields] = [suitsOf(view, me.name), shieldsOf(view, me.name)];
  const state = stateOf(me.name, hand, view);
  return h(
    "section",
    { class: "panel mine", key: "mine" },
    h(
      "h2",
      {},
      t("mine"),
      h(
        "small",
        {},
        [
          hand && t("cards_in_hand", { count: hand.cards }),
          hand?.is_leader && t("leader_button"),
          state && state !== "turn" && t(`state_${state}`),
        ]
          .filter(Boolean)
          .join(" · "),
      ),
    ),
    h(
      "div",
      { class: "belongings" },
      suits_.map((suit) => token(suit, { key: `T${suit}` })),
      shields.map((id) =>
        h("span", { class: "shield", key: id }, card(id), h("span", { class: "quiet" }, t("shield"))),
      ),
      suits_.length + shields.length === 0 && h("p", { class: "hint" }, t("mine_none")),
    ),
  );
}

// ---- every suit: what it costs me, what its cut would cost or bring me

const suits = (view, me) =>
  h(
    "ul",
    { class: "price-list", key: "suits", "aria-label": t("stacks") },
    view.stacks.map((stack) => suit(stack, view, me)),
  );

function suit(stack, view, me) {
  const state = standing(stack);
  const odds = view.chances?.find((line) => line.suit === stack.suit);
  return h(
    "li",
    { key: stack.suit, "data-suit": stack.suit, class: `is-${state.kind}${stack.owner === me.name ? " own" : ""}` },
    token(stack.suit),
    h(
      "div",
      { class: "what" },
      h("h2", {}, suitName(stack.suit)),
      h("p", { class: "distance" }, sign(state.kind), h("span", {}, howFar(stack, state))),
      odds && h("p", { class: "hint" }, `${chance(odds.float)} ${t("chance_next")}`),
    ),
    h("div", { class: "money" }, cost(stack, view, me), h("p", { class: "hint" }, risk(stack, me))),
  );
}

function cost(stack, view, me) {
  if (stack.owner === me.name) return h("p", { class: "to" }, h("strong", {}, t("yours")));
  if (stack.price == null) return h("p", { class: "to" }, t("not_for_sale"));
  return h(
    "p",
    { class: "to" },
    h("b", {}, number(stack.price)),
    " ",
    stack.owner
      ? [t("price_to"), " ", seatBadge(seatOf(view, stack.owner) ?? "?"), " ", stack.owner]
      : t("price_to_pot"),
  );
}

function risk(stack, me) {
  const coins = stack.if_cut.reduce(
    (sum, line) => sum + (stack.owner === me.name || line.player === me.name ? line.coins : 0),
    0,
  );
  if (coins === 0) return null;
  return stack.owner === me.name ? t("if_cut", { coins }) : t("if_cut_pay", { coins });
}

page = start(viewer, draw, {
  onView: (view, before) =>
    (view.turn !== before.turn || view.phase !== before.phase) &&
    announce(view.turn === meIn(view).name ? t("your_turn") : promptOf(view).title),
});
