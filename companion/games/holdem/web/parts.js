// The table of hold'em: the board, the pots, and everybody's part in the hand.

import { h } from "../../js/dom.js";
import { decimals, number, t } from "../../js/page.js";
import { potName, seatBadge } from "../../js/pieces.js";
import { playingCard } from "./cards.js";

const BOARD = 5;
const FEW = 6;
const BETWEEN = ["ready", "break", "over"];
const SHOWN_TIE = 0.005;

/** The five cards in the middle, and where those to come will lie; after a hand the board that decided it. */
export function middle(view) {
  const cards = isOver(view) ? view.result.board : view.board;
  return h(
    "section",
    { class: "holdem-middle", key: "middle", "aria-label": t("board") },
    h(
      "div",
      { class: "board-cards" },
      Array.from({ length: BOARD }, (_, i) => playingCard(cards[i], { key: i })),
    ),
    isOver(view) ? outcome(view) : pots(view),
  );
}

/** Who has won, in a sentence; of several pots a line for each, as sentences would push the hands off the screen. */
const outcome = (view) =>
  view.result.pots.length > 1
    ? h(
        "ul",
        { class: "won-pots", key: "won" },
        view.result.pots.map(({ pot, coins, winners }) =>
          h("li", { key: pot }, potName(pot), " ", h("b", {}, number(coins)), " →", winners.map(winner(view, winners))),
        ),
      )
    : h("p", { class: "summary", key: "summary" }, view.summary);

/** Who takes a pot alone by seat and name, of several the seats, by which the hands are found. */
const winner =
  (view, { length }) =>
  (name) => {
    const seat = view.players.find((one) => one.name === name)?.seat;
    return [" ", seat && seatBadge(seat), (length === 1 || !seat) && ` ${name}`];
  };

/** Whether the latest hand still shows: until the next one begins. */
const isOver = (view) => BETWEEN.includes(view.phase) && Boolean(view.result);

const pots = (view) =>
  view.in_hand.length > 0 &&
  h(
    "div",
    { class: "pots", key: "pots" },
    h("p", { class: "total" }, h("span", { class: "label" }, t("pot_total")), h("b", {}, number(view.total))),
    view.open_pots.length > 1 &&
      h(
        "ul",
        {},
        view.open_pots.map((pot) =>
          h(
            "li",
            { key: pot.pot, "data-pot": pot.pot },
            h("span", {}, potName(pot.pot)),
            h("b", { "data-place": `pot/${pot.pot}` }, number(pot.coins)),
          ),
        ),
      ),
  );

/** Everybody at the table and their part in the hand, in seat order; after a hand what was shown. */
export const hands = (view) =>
  h(
    "ul",
    { class: `hands${view.players.length > FEW ? " many" : ""}`, key: "hands", "aria-label": t("players") },
    view.players.map((player) => (isOver(view) ? decided(view, player) : part(view, player))),
  );

function part(view, player) {
  const one = view.in_hand.find((other) => other.player === player.name);
  const isTurn = view.turn === player.name;
  return h(
    "li",
    { key: player.name, class: `hand${one?.folded || one?.mucked ? " out" : ""}${isTurn ? " turn" : ""}` },
    whose(view, player, one && [stateTags(one), chance(view, player.name)]),
    one && h("span", { class: "hole" }, hole(one)),
    h("b", { class: "stake" }, one?.stake > 0 ? number(one.stake) : ""),
  );
}

/** The chance to win once all hands lie open; "≈" where it was drawn from a sample. */
function chance(view, name) {
  const one = view.chances?.find((line) => line.player === name);
  if (!one) return null;
  const win = `${one.error ? "≈ " : ""}${percent(one.win, one.error)}`;
  return h(
    "span",
    {
      key: "chance",
      class: "tag strong chance",
      title: one.error ? t("chance_error", { n: percent(one.error) }) : null,
    },
    one.tie >= SHOWN_TIE ? t("chance_tie", { win, tie: percent(one.tie, one.error) }) : t("chance_win", { win }),
  );
}

const percent = (share, error = 0) => `${decimals(100 * share, error ? 0 : 1)} %`;

/** Seat, name, what stands beside it, and the coins that are left. */
const whose = (view, player, tags) => [
  seatBadge(player.seat),
  h("span", { class: player.name.length > 12 ? "who long" : "who", key: "who" }, player.name),
  h(
    "span",
    { class: "held", key: "held" },
    h("span", { class: "left", "data-place": `player/${player.name}` }, number(player.coins)),
    h("span", { class: "tags" }, placeTags(view, player.name), tags),
  ),
];

const hole = (one) => {
  if (one.folded || one.mucked || !one.dealt) return null;
  const cards = one.cards.length ? one.cards : ["back", "back"];
  return cards.map((id, i) => playingCard(id, { key: i }));
};

const tag = (key, cls = "") => h("span", { key, class: `tag ${cls}` }, t(key));

const rank = (id) => h("span", { key: "rank", class: "tag strong" }, t(`rank_${id}`));

/** The button, and the blinds until a hand lies open: then what it is needs the room. */
const placeTags = (view, name) => {
  const isOpen = view.in_hand.some((one) => one.player === name && one.cards.length > 0);
  return [
    name === view.button && h("span", { key: "button", class: "dealer-button", title: t("button_of") }, "D"),
    !isOpen && name === view.small_blind && tag("blind_small"),
    !isOpen && name === view.big_blind && tag("blind_big"),
  ];
};

const stateTags = (one) => [
  one.folded && tag("is_folded"),
  one.all_in && tag("is_all_in", "strong"),
  one.mucked && tag("is_mucked"),
  one.rank && rank(one.rank),
];

function decided(view, player) {
  const shown = view.result.hands[player.name];
  const won = view.result.transfers.filter((one) => one.to === player.name).reduce((sum, one) => sum + one.coins, 0);
  return h(
    "li",
    { key: player.name, class: `hand${won ? " turn" : ""}` },
    whose(view, player, [shown && rank(shown.rank), view.result.mucked.includes(player.name) && tag("is_mucked")]),
    shown &&
      h(
        "span",
        { class: "hole five" },
        shown.cards.map((id) => playingCard(id, { key: id })),
      ),
    h("b", { class: "stake" }, won ? t("paid_won", { won: number(won) }) : ""),
  );
}
