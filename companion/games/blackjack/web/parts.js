// What lies on a blackjack table: the dealer's cards, a box for each bet, insurance, and what was paid.

import { h } from "../../js/dom.js";
import { number, t } from "../../js/page.js";
import { seatBadge } from "../../js/pieces.js";
import { face } from "./cards.js";

/** What a bet is on: "Hand 2", "Insurance". */
export const spotName = (on) => (on.startsWith("hand/") ? t("hand_n", { n: on.slice(5) }) : t(`bjspot_${on}`));

/** A hand's total in words; an ace alone, and a blackjack, need none. */
const totalOf = (hand) => {
  if (hand.cards.length === 0) return "";
  const says = hand.is_soft && hand.cards.length > 1 && hand.state !== "blackjack";
  return says ? t("soft", { n: hand.total }) : `${hand.total}`;
};

const cards = (ids, extra = null) =>
  h(
    "span",
    { class: "hand-cards" },
    ids.map((id, i) => face(id, { key: i })),
    extra,
  );

const SAID = new Set(["blackjack", "bust", "surrendered", "given-up", "waiting", "stood"]);

/** One hand of a box. */
export const hand = (one, { isOne = true, result = null } = {}) =>
  h(
    "li",
    { key: one.number, class: `bj-hand ${one.state}` },
    !isOne && h("span", { class: "label" }, t("hand_n", { n: one.number })),
    cards(one.cards),
    h(
      "p",
      { class: "hand-line" },
      h("b", { class: "total" }, totalOf(one)),
      result
        ? h("span", { class: `tag outcome-${result.outcome}` }, result.text)
        : SAID.has(one.state) && h("span", { class: "tag" }, t(`hand_${one.state}`)),
      h("span", { class: "stake" }, number(one.amount)),
    ),
  );

const LONG = /\S{11}/; // a word that stands whole in a narrow box only in smaller type

/** A player's box with all hands. */
export const box = (one, { turn = null, paid = [] } = {}) =>
  h(
    "li",
    {
      key: one.player,
      class: `bj-box${one.player === turn ? " its-turn" : ""}${one.hands.length > 2 ? " wide" : ""}`,
      "data-box": one.seat,
    },
    h(
      "h3",
      {},
      seatBadge(one.seat),
      h("span", { class: `who${LONG.test(one.player) ? " long" : ""}` }, one.player),
      one.insured > 0 && h("span", { class: "tag" }, t("insured", { coins: number(one.insured) })),
    ),
    h(
      "ul",
      { class: "bj-hands" },
      one.hands.map((each) =>
        hand(each, {
          isOne: one.hands.length === 1,
          result: paid.find((bet) => bet.player === one.player && bet.on === `hand/${each.number}`),
        }),
      ),
    ),
  );

/** Whether the table still shows the round decided last: nobody has bet since. */
export const isOver = (view) => view.phase === "betting" && view.boxes.length === 0 && view.result !== null;

/** The dealer's cards. */
export function dealerHand(view) {
  const over = isOver(view);
  const shownCards = over ? view.result.dealer : view.dealer.cards;
  const total = over ? view.result.total : view.dealer.total;
  const name = over && view.result.blackjack ? t("hand_blackjack") : shownCards.length ? `${total}` : "";
  return h(
    "section",
    { class: `bj-dealer${view.dealer.must_draw ? " must-draw" : ""}`, key: "dealer" },
    h("h2", { class: "label" }, t("dealer")),
    cards(shownCards, view.dealer.has_hole && face(null, { key: "down" })),
    shownCards.length === 0 && !view.dealer.has_hole && h("p", { class: "hint" }, t("no_cards")),
    h(
      "p",
      { class: "hand-line" },
      h(
        "b",
        { class: "total" },
        over || !view.dealer.is_soft || shownCards.length < 2 ? name : t("soft", { n: total }),
      ),
      view.dealer.must_draw && h("span", { class: "tag strong" }, t("must_draw")),
      over && total > 21 && h("span", { class: "tag strong" }, t("hand_bust")),
    ),
  );
}

const ROOMY = { boxes: 4, hands: 6 };

/** Whether so much lies there that everything has to be smaller on a screen across the room. */
const isFull = (boxes) =>
  boxes.length > ROOMY.boxes || boxes.reduce((sum, one) => sum + one.hands.length, 0) > ROOMY.hands;

/** Everything on the felt. */
export const felt = (view) => {
  const boxes = isOver(view) ? view.last : view.boxes;
  return h(
    "section",
    { class: `bj-felt${isFull(boxes) ? " full" : ""}`, key: "felt", "aria-label": t("table") },
    dealerHand(view),
    insuranceLine(view),
    boxes.length === 0 && h("p", { class: "hint" }, t("no_bets")),
    h(
      "ul",
      { class: "bj-boxes" },
      boxes.map((one) => box(one, { turn: view.turn, paid: isOver(view) ? view.settled : [] })),
    ),
  );
};

/** What insurance costs a player who may take it: half the bet, and no half coins. */
export const insuranceOf = (view, player) =>
  Math.floor(view.boxes.find((one) => one.player === player).hands[0].amount / 2);

const insuranceLine = (view) =>
  view.may_insure.length > 0 && h("p", { class: "insurance-line", key: "line" }, t("insurance_open"));

/** The largest bet that the table takes; null without a limit. */
const mostBet = (view) => view.most_bet ?? view.limits.max;

/** The rules in force, in a line. */
export const house = (view) =>
  h(
    "p",
    { class: "hint house-rules", key: "rules" },
    [
      t("rule_pays"),
      t(`rule_soft17_${view.soft17}`),
      t(`rule_surrender_${view.surrender}`),
      view.split_aces === "one-card" && t("rule_one_card"),
      t("rule_decks", { count: view.decks }),
      view.limits.min !== null &&
        view.limits.max !== null &&
        t("rule_limits", { min: number(view.limits.min), max: number(mostBet(view)) }),
    ]
      .filter(Boolean)
      .join(" · "),
  );

/** How the last round ended, in a sentence. */
export const ending = (view) =>
  view.phase === "betting" &&
  view.result !== null &&
  h(
    "section",
    { class: "panel result", key: "result" },
    h("h2", {}, t("result")),
    h("p", { class: "summary" }, view.summary),
  );

/** Round sums to bet, from the least to the most. */
export const quickBets = (view) => {
  const least = view.limits.min ?? 1;
  const most = mostBet(view) ?? 10 * least;
  return [...new Set([least, 2 * least, 5 * least, most])].filter((coins) => coins >= least && coins <= most);
};
