// Rochi's and Captain's Rochi's table: the stacks with pots, prices and tokens, and the players round them.

import { h } from "../../js/dom.js";
import { card, suitEmblem } from "../../js/card.js";
import { chance, number, suitName, t } from "../../js/page.js";
import { seatBadge } from "../../js/pieces.js";
import { leaderButton, pile as coinPile, sign, standing, token } from "./pieces.js";
import { pile } from "../../js/card_pile.js";

const HAND_CARDS_SHOWN = 7;
const SHORT_NAME = 9; // letters: a longer name is smaller, and wraps
const FEW_DIGITS = 5; // a pot of more leaves no room for its word and its pile

/** The card that the latest command laid down, if it laid one; undoing may take it away again. */
export function lastLaid(view) {
  const { do: verb, card: id } = view.undoes || {};
  return id && view.stacks.some((stack) => stack.cards.includes(id) || Object.values(stack.shields).flat().includes(id))
    ? { id, verb }
    : null;
}

/** The seat of a player, or null if he has left. */
export const seatOf = (view, name) => view.players.find((player) => player.name === name)?.seat ?? null;

// ---- stacks

/** All stacks. `options.piles` says whether the cards are shown; `mine` is the player who looks. */
export function stacks(view, options = {}) {
  const chances = new Map((view.chances || []).map((line) => [line.suit, line]));
  const last = lastLaid(view)?.id;
  return h(
    "section",
    { class: `stacks n${view.stacks.length}`, key: "stacks", "aria-label": t("stacks") },
    view.stacks.map((stack) => one(stack, view, { ...options, last, chance: chances.get(stack.suit) })),
  );
}

function one(stack, view, options) {
  const state = standing(stack);
  return h(
    "article",
    {
      class: `stack is-${state.kind}`,
      key: stack.suit,
      "data-suit": stack.suit,
      "data-layer": "",
      "aria-label": t("pile_of", { suit: suitName(stack.suit), count: stack.count, of: stack.cut_at }),
    },
    pot(stack.suit, view),
    h("header", {}, home(stack), h("h2", {}, suitName(stack.suit))),
    options.piles !== false &&
      h(
        "div",
        { class: "pile-place" },
        pile(stack, options.last),
        stack.is_locked && token(stack.suit, { key: "lock", class: "on-stack", "data-fly": `T${stack.suit}` }),
      ),
    tally(stack, state, options.chance),
    price(stack, view),
  );
}

const pot = (suit, view) => {
  const coins = view.pots[suit] ?? 0;
  const digits = number(coins).length;
  return h(
    "p",
    { class: `pot${coins ? "" : " empty"}${digits > FEW_DIGITS ? " many" : ""}`, "data-place": `pot/${suit}` },
    coinPile(coins),
    h("span", { class: "label" }, t("pot")),
    h("b", { style: { "--digits": String(digits) } }, number(coins)),
  );
};

// The token waits beside its suit's name until somebody owns it; then its place is empty.
const home = (stack) =>
  stack.owner || stack.is_locked
    ? h("span", { class: "token-home", key: "home" }, suitEmblem(stack.suit))
    : token(stack.suit, { key: "token", "data-fly": `T${stack.suit}` });

function tally(stack, state, chances) {
  return h(
    "div",
    { class: "tally" },
    h(
      "p",
      { class: "count" },
      h("b", {}, stack.count),
      " ",
      h("span", {}, t("of", { of: stack.cut_at })),
      state.also && h("small", {}, state.also),
    ),
    h("p", { class: "distance" }, sign(state.kind), h("span", {}, state.text)),
    h(
      "p",
      { class: "pips", "aria-hidden": "true" },
      Array.from({ length: stack.cut_at }, (_, i) => h("i", { class: i < stack.count ? "on" : "" })),
    ),
    chances && h("p", { class: "next-card" }, h("b", {}, chance(chances.float)), " ", t("chance_next")),
  );
}

function price(stack, view) {
  if (stack.price == null)
    return h(
      "div",
      { class: "price" },
      h(
        "p",
        { class: "to" },
        h("span", {}, t(stack.is_cut && stack.owner ? "won_by" : "not_for_sale", { player: stack.owner })),
      ),
      h("p", { class: "if-cut" }),
    );
  const penalties = stack.if_cut.reduce((sum, line) => sum + line.coins, 0);
  return h(
    "div",
    { class: "price" },
    h(
      "p",
      { class: "to" },
      h("b", {}, number(stack.price)),
      " ",
      h(
        "span",
        {},
        stack.owner
          ? [
              t("price_to"),
              " ",
              h(
                "span",
                { class: "whose" },
                seatBadge(seatOf(view, stack.owner) ?? "?"),
                h("span", { class: "name" }, stack.owner),
              ),
            ]
          : t("price_to_pot"),
      ),
    ),
    h("p", { class: "if-cut" }, penalties > 0 && t("if_cut", { coins: penalties })),
  );
}

// ---- players

/** Everybody at the table, clockwise from seat 1. */
export const seats = (view) =>
  h(
    "section",
    { class: `seats n${view.players.length}`, key: "seats", "aria-label": t("players") },
    view.players.length === 0 && h("p", { class: "hint" }, t("no_players")),
    view.players.map((player) => seat(player, view)),
  );

function seat(player, view) {
  const hand = view.hands.find((one) => one.player === player.name);
  const state = stateOf(player.name, hand, view);
  return h(
    "article",
    {
      class: `seat-card is-${state}`,
      key: player.seat,
      "data-layer": "",
      "data-seat": player.seat,
      "aria-current": state === "turn" ? "true" : null,
    },
    h(
      "header",
      {},
      seatBadge(player.seat),
      h("h2", { class: `who${player.name.length > SHORT_NAME ? " long" : ""}` }, player.name),
      hand?.is_leader && leaderButton(),
      h("b", { class: "coins", "data-place": `player/${player.name}` }, number(player.coins)),
    ),
    h(
      "div",
      { class: "belongings" },
      suitsOf(view, player.name).map((suit) => token(suit, { key: `T${suit}`, "data-fly": `T${suit}` })),
      shieldsOf(view, player.name).map(shield),
    ),
    h(
      "footer",
      {},
      h("span", { class: "state" }, state && t(`state_${state}`)),
      hand && state !== "folded" && cardsInHand(hand.cards),
    ),
  );
}

/** What a player does now: turn, folded, acted, waiting, away; null between hands. */
export function stateOf(name, hand, view) {
  if (view.away?.some((one) => one.player === name)) return "away";
  if (!hand || !["turns", "last-player"].includes(view.phase)) return null;
  if (hand.is_turn) return "turn";
  if (hand.has_folded) return "folded";
  if (hand.has_acted === undefined) return null;
  return hand.has_acted ? "acted" : "waiting";
}

export const suitsOf = (view, name) => view.stacks.filter((stack) => stack.owner === name).map((stack) => stack.suit);
export const shieldsOf = (view, name) => view.stacks.flatMap((stack) => stack.shields[name] || []);

const shield = (id) =>
  h(
    "span",
    { class: "shield", key: id, "data-fly": id, title: t("shield") },
    card(id),
    h(
      "svg",
      { class: "shield-sign", viewBox: "0 0 24 24", "aria-hidden": "true" },
      h("path", { d: "M12 2 21 5v7c0 5-4 8.5-9 10-5-1.5-9-5-9-10V5Z" }),
    ),
    h("span", { class: "quiet" }, t("shield")),
  );

const cardsInHand = (count) =>
  h(
    "span",
    { class: "in-hand", title: t("cards_in_hand", { count }) },
    Array.from({ length: Math.min(count, HAND_CARDS_SHOWN) }, (_, i) => h("i", { key: i, "aria-hidden": "true" })),
    h("span", { class: "quiet" }, t("cards_in_hand", { count })),
  );
