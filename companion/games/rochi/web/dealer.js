// The dealer's console for Rochi and Captain's Rochi: whose turn it is, what the next card is, who pays whom.

import { h } from "../../js/dom.js";
import { cardGrid, cardOf } from "../../js/card_grid.js";
import { act, button, can, demoGoesOn, local, order, orderNext, redraw, runConsole, whyNot } from "../../js/console.js";
import * as dialog from "../../js/dialog.js";
import { payments } from "./explained.js";
import { cardName, suitName, t } from "../../js/page.js";
import { card } from "../../js/card.js";
import { keyHint, seatBadge } from "../../js/pieces.js";
import { howFar, sign, standing, token } from "./pieces.js";
import { playersTab } from "../../js/players.js";
import { comingAndGoing, recountPot } from "./players.js";
import { seatOf, seats } from "./parts.js";
import { promptOf, TERMS } from "./words.js";
import { post } from "../../js/send.js";
import { toast } from "../../js/shell.js";

const CARD_VERBS = ["play", "deal", "seed", "discard"];
const picking = { card: null };

const step = (view) => {
  const { title, sub } = promptOf(view);
  return { title, hint: sub };
};

// ---- the buttons

/** Whether the main button ends the turn: something was done in it. */
const endsTurn = (view) => (view.done?.play || view.done?.deal) && can(view, "end");

function mainActions(view) {
  const found = [];
  if (local.demo && ["seed", "deal"].some((verb) => can(view, verb))) found.push(demoGoesOn("demo_go_on"));
  if (can(view, "next-hand"))
    found.push({ id: "next-hand", label: t("do_next-hand"), run: () => order({ do: "next-hand" }) });
  if (can(view, "new-game"))
    found.push({ id: "new-game", label: t("do_new-game"), run: () => order({ do: "new-game" }) });
  if (endsTurn(view)) found.unshift({ id: "end", label: t("do_end"), run: () => orderNext({ do: "end" }) });
  if (view.phase === "odd-coin")
    found.push(
      ...view.stacks.map(({ suit }) => ({
        id: `odd-${suit}`,
        label: t("odd_into", { suit: suitName(suit) }),
        run: () => order({ do: "odd-coin", pot: suit }),
      })),
    );
  return found;
}

const TURN = { rochi: ["end", "fold"], captains: ["end", "pass"] };

function verbs(view) {
  if (!["turns", "last-player", "seeding"].includes(view.phase) || view.hold) return null;
  return h(
    "div",
    { class: "verbs", key: "verbs" },
    h(
      "fieldset",
      { class: "intend", key: "intend" },
      h("legend", {}, t("next_card_is")),
      ["play", "deal"].map((what) => intention(view, what)),
    ),
    TURN[view.game]
      .filter((verb) => verb !== "end" || !endsTurn(view)) // it is the main button then
      .map((verb) =>
        button(
          verb,
          t(`do_${verb}`),
          () => orderNext({ do: verb }),
          whyNotNow(view, verb) ?? false,
          verb[0].toUpperCase(),
          "verb",
        ),
      ),
  );
}

/** Ending a turn in which nothing was done folds: that is what the button Fold is for. */
const whyNotNow = (view, verb) =>
  whyNot(view, verb) ??
  (verb === "end" && view.game === "rochi" && !view.done.play && !view.done.deal ? t("end_nothing") : null);

function intention(view, what) {
  const off = whyNot(view, what);
  const key = what === "play" ? "Y" : "D";
  const press = () => (off ? toast(off) : intend(what));
  return h(
    "button",
    {
      type: "button",
      key: what,
      class: `verb intend-${what}`,
      "aria-pressed": String(view.intention === what),
      "aria-keyshortcuts": key,
      title: off,
      "aria-disabled": off || local.busy.has(`intend-${what}`) ? "true" : null,
      onclick: press,
    },
    t(`intend_${what}`),
    keyHint(key),
  );
}

/** The next card is played, or dealt: whatever the camera would have thought. */
const intend = (what) =>
  act(
    `intend-${what}`,
    () => post("/api/v1/intentions?as=dealer", { next: what }, {}, 0),
    () => t(`intended_${what}`),
  );

function secondButtons(view) {
  return [
    can(view, "last-hand") && button("last-hand", t("do_last-hand"), () => sure("last-hand", {})),
    can(view, "stop") && button("stop", t("do_stop"), () => sure("stop", {})),
    can(view, "drop") &&
      view.players.map((player) =>
        button(`drop-${player.seat}`, t("do_drop", { player: player.name }), () =>
          sure("drop", { player: player.name }),
        ),
      ),
  ];
}

// What ends a game is asked once more.
function sure(verb, more) {
  const done = dialog.open(t(`do_${verb}`, more), () => [
    h("p", { class: "big" }, t(`sure_${verb}`, more)),
    h(
      "div",
      { class: "actions" },
      h(
        "button",
        { type: "button", class: "primary", onclick: () => (done(), order({ do: verb, ...more })) },
        t("yes"),
      ),
      h("button", { type: "button", onclick: () => done() }, t("cancel")),
    ),
  ]);
}

// ---- payments, and the table in small

const lead = (view) => payments(view, redraw);

// Each suit: its token (touch it to say who plays it), count, price and pot.
const board = (view) => [suits(view), seats(view)];

const suits = (view) =>
  h(
    "ul",
    { class: "suit-list", key: "suits", "aria-label": t("stacks") },
    view.stacks.map((stack) => suit(stack, view)),
  );

function suit(stack, view) {
  const state = standing(stack);
  return h(
    "li",
    { key: stack.suit, class: `is-${state.kind}`, "data-suit": stack.suit },
    h(
      "button",
      {
        type: "button",
        class: "token-button",
        "aria-label": t("token_button", { suit: suitName(stack.suit) }),
        onclick: () => tokenSheet(stack, view),
      },
      token(stack.suit, { role: null, "aria-label": null, "aria-hidden": "true" }),
    ),
    h(
      "div",
      { class: "what" },
      h("h2", {}, suitName(stack.suit)),
      h("p", { class: "distance" }, sign(state.kind), h("span", {}, howFar(stack, state))),
    ),
    h(
      "div",
      { class: "money" },
      h(
        "p",
        { class: "owner", title: stack.owner },
        stack.owner
          ? [seatBadge(seatOf(view, stack.owner) ?? "?"), " ", h("span", { class: "name" }, stack.owner)]
          : t(stack.is_locked ? "cond_locked" : "nobodys"),
      ),
      h(
        "p",
        { class: "hint" },
        stack.price != null && `${t("price_n", { coins: stack.price })} · `,
        t("pot_n", { coins: view.pots[stack.suit] ?? 0 }),
      ),
    ),
  );
}

// A token goes to whoever plays a card of its suit: which card was it?
function tokenSheet(stack, view) {
  const off = whyNot(view, "play");
  const seen = seenCards(view);
  const done = dialog.open(suitName(stack.suit), () => [
    h("p", { class: "big" }, stack.owner ? t("token_at", { player: stack.owner }) : t("token_free")),
    h(
      "p",
      { class: "hint" },
      off ?? t("token_which", { player: view.turn, price: stack.owner === view.turn ? 0 : (stack.price ?? 0) }),
    ),
    h(
      "div",
      { "data-suit": stack.suit },
      cardGrid({
        seen,
        suits: [String(stack.suit)],
        off: (id) => Boolean(off) || seen.has(id),
        onTouch: (id) => (done(), order({ do: "play", card: id })),
      }),
    ),
    can(view, "buy-in") &&
      h(
        "button",
        { type: "button", onclick: () => recountPot(stack.suit, view.pots[stack.suit] ?? 0) },
        t("recount_pot"),
      ),
  ]);
}

// ---- cards by hand

const seenCards = (view) =>
  new Set([
    ...view.stacks.flatMap((stack) => [...stack.cards, ...Object.values(stack.shields).flat()]),
    ...(view.gone || []),
    ...(view.discards || []),
  ]);

function cardsTab(view) {
  const open = CARD_VERBS.filter((verb) => !whyNot(view, verb));
  const seen = seenCards(view);
  const touch = (id) => {
    const chosen = open.length === 1 ? open[0] : open.includes(view.intention) ? view.intention : null;
    if (chosen) return lay(chosen, id, view);
    picking.card = picking.card === id ? null : id;
    redraw();
  };
  return [
    h(
      "p",
      { class: "hint", key: "hint" },
      open.length === 0 ? t("cards_none") : open.length === 1 ? t(`cards_${open[0]}`) : t("cards_ask"),
    ),
    cardGrid({
      seen,
      off: (id) => open.length === 0 || seen.has(id) || local.busy.has("card"),
      onTouch: touch,
      picked: picking.card ?? "",
    }),
    picking.card &&
      h(
        "div",
        { class: "picked-bar", key: "picked", role: "group", "aria-label": cardName(picking.card) },
        card(picking.card, { "aria-hidden": "true", role: null, "aria-label": null }),
        h("strong", {}, cardName(picking.card)),
        open.map((verb) =>
          h(
            "button",
            { type: "button", key: verb, class: "primary", onclick: () => lay(verb, picking.card, view) },
            t(`lay_${verb}`, { player: view.turn }),
          ),
        ),
      ),
  ];
}

function lay(verb, id, view) {
  picking.card = null;
  order(verb === "discard" ? { do: verb, card: id, player: view.turn } : { do: verb, card: id }, "card");
}

// ---- keyboard

function onKey(key, view) {
  const verb = { e: "end", f: "fold", p: "pass" }[key];
  if (verb && !whyNotNow(view, verb)) return (orderNext({ do: verb }), true);
  const what = { y: "play", d: "deal" }[key];
  if (what && !whyNot(view, what)) return (intend(what), true);
  return false;
}

const ENDINGS = new Map([
  ["y", "play"],
  ["d", "deal"],
]);

/** A card that is typed: laid as the next card is meant, where that is known. */
function typedCard(view, [word, ...more]) {
  const odd = view.phase === "odd-coin" && view.stacks.find(({ suit }) => String(suit) === word);
  if (odd && more.length === 0)
    return { say: t("odd_into", { suit: suitName(odd.suit) }), run: () => order({ do: "odd-coin", pot: odd.suit }) };
  const id = more.length <= 1 && cardOf(word);
  if (!id) return null;
  if (seenCards(view).has(id)) return { say: t("quick_dealt", { card: cardName(id) }) };
  const open = CARD_VERBS.filter((verb) => !whyNot(view, verb));
  const said = more.length > 0 ? ENDINGS.get(more[0]) : open.length === 1 ? open[0] : view.intention;
  const verb = open.includes(said) ? said : null;
  if (!verb) return { say: whyNotTyped(view, open, said, word) };
  return { say: `${cardName(id)}: ${t(`lay_${verb}`, { player: view.turn })}`, run: () => lay(verb, id, view) };
}

/** Why a typed card is not laid: the kind of play is missing, or it cannot be made now. */
function whyNotTyped(view, open, said, card) {
  if (open.length === 0) return t("cards_none");
  return said && !open.includes(said) ? whyNot(view, said) : t("quick_intend", { card });
}

const pills = (view) => [
  view.hand !== undefined && h("span", { class: "pill mild", key: "hand" }, t("hand_n", { n: view.hand })),
  view.last_hand && h("span", { class: "pill last", key: "last" }, t("last_hand")),
  h("span", { class: "pill mild", key: "deck" }, t("in_deck", { count: view.left })),
];

runConsole({
  byHand: "cards",
  tabs: ["cards"],
  pills,
  step,
  mainActions,
  verbs,
  secondButtons,
  lead,
  board,
  sitting: false, // the board has them
  bodies: {
    cards: cardsTab,
    players: (view) => playersTab(view, { act, order, can, busy: local.busy, ...comingAndGoing(view) }),
  },
  tabKeys: { c: "cards", s: "players", v: "camera", l: "log" },
  keys: [
    ["E F P", "key_turn"],
    ["Y D", "key_intend"],
  ],
  onKey,
  quick: { hint: "quick_hint_card", read: typedCard, examples: [["6d3", "key_card"]] },
  terms: TERMS,
  shows: ["chances", "timer"],
});
