// What lies on the table besides cards: coins and the seats' badges.

import { h } from "./dom.js";
import { data, has, number, suitName, t } from "./page.js";

/** The chips, the largest first; three piles are enough. */
export const CHIPS = [...(data.view?.chips || [1, 5, 10])].reverse().slice(-3);

/** A seat's number in the seat's colour. */
export const seatBadge = (seat, props = {}) =>
  h("span", { "data-seat": seat, title: t("seat_n", { seat }), ...props, class: `seat ${props.class || ""}` }, seat);

/** What a player has put aside while a game with coins of its own is on; nothing where they have not. */
export const putAside = (player) =>
  player.aside > 0 && h("small", { key: "aside" }, t("put_aside", { count: number(player.aside) }));

/** A player's name; a long one is smaller where there is little room. */
export const whoTag = (name) => h("span", { class: name.length > 9 ? "who long" : "who" }, name);

/** The key that does what a button does, as it is printed on it; `aria-keyshortcuts` says it to who cannot see it. */
export const keyHint = (key) => h("kbd", { "aria-hidden": "true" }, key);

const MOST_CHIPS = 1000; // more are never drawn, and a fortune would keep the page busy for minutes

const FORTUNE = 10_000_000;

/** Whether so many coins need more room than a seat has for them: there is no limit to what somebody brings. */
export const isFortune = (coins) => coins >= FORTUNE;

/** Coins that break between groups of digits where they have to: half a group on the next line is another number. */
export const groups = (coins) =>
  number(coins)
    .match(/\D*\d+\D*/g)
    .flatMap((group) => [group, h("wbr")]);

/** Coins as chips of 10, 5 and 1, as the companion counts payments out. */
export function chipsFor(coins) {
  const chips = [];
  let left = coins;
  for (const chip of CHIPS) for (; left >= chip && chips.length < MOST_CHIPS; left -= chip) chips.push(chip);
  return chips;
}

// See companion/kernel/accounts.py.
const NOT_NAMES = /^(?:(?:player|stake|pot|house|cage|pots|recount)$|(?:player|stake|pot)\/)/;

/** A player as payer or payee: the name, written out where it reads like another account. */
export const labelOf = (name) => (NOT_NAMES.test(name) ? `player/${name}` : name);

/** A pot in words: the game's own, of a suit, or by its name. */
export const potName = (pot) =>
  has(`pot_${pot}`) ? t(`pot_${pot}`) : t("pot_of", { suit: has(`suit_${pot}`) ? suitName(pot) : pot });

/** Who hands coins over or gets them, in words: a player, a pot, the house, the cage. */
export function partyName(who) {
  if (who.startsWith("player/")) return who.slice("player/".length);
  if (who.startsWith("pot/")) return potName(who.slice("pot/".length));
  return has(`party_${who}`) ? t(`party_${who}`) : who;
}

/** Where a coin's payer or payee is on the page. */
export const placeOf = (who) => (/^(?:pot|player)\/|^house$/.test(who) ? who : `player/${who}`);

/** Who pays whom. */
export const route = (one) =>
  h(
    "span",
    { class: "route" },
    h("span", { class: "who" }, partyName(one.from)),
    h("span", { class: "arrow", "aria-label": t("pays_to") }, "→"),
    h("span", { class: "who" }, partyName(one.to)),
  );

/** One chip, seen from above. */
export const coin = (value, props = {}) =>
  h("span", { ...props, class: `coin c${value} ${props.class || ""}`, "aria-hidden": "true" }, value);

/** Coins as chips side by side: 5 + 1 + 1. Many are counted in words. */
export function coinRow(coins, chips = chipsFor(coins)) {
  return h(
    "span",
    { class: "coin-row" },
    chips.length <= 6 && chips.map((value, i) => coin(value, { key: i })),
    h("b", {}, number(coins)),
  );
}
