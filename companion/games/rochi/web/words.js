// What to do next in Rochi and Captain's Rochi, in the page's own language.

import { suitName, t } from "../../js/page.js";

/** The glossary's terms, keys of the texts. */
export const TERMS = [
  "cut",
  "ripe",
  "fresh",
  "rotten",
  "dead",
  "locked",
  "buy",
  "poke",
  "mark",
  "count",
  "leader",
  "seed",
  "penalty",
  "fold",
  "last_hand",
  "stories",
];

const MAY = ["play", "deal", "end", "fold", "pass"];
const either = new Intl.ListFormat(document.documentElement.lang || "en", { type: "disjunction" });

/** What whoever's turn it is may do now: "play, deal, both or fold". */
export function choices(view) {
  const open = MAY.filter((verb) => view.expected.includes(verb) && !view.reasons?.[verb]);
  const fresh = !view.done?.play && !view.done?.deal;
  const said = open
    .filter((verb) => !(verb === "end" && fresh && open.includes("fold")))
    .map((verb) => t(`may_${verb}`));
  if (fresh && open.includes("play") && open.includes("deal")) said.splice(2, 0, t("may_both"));
  const text = either.format(said);
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

/** The one thing to do next: {title, sub, suit, player}. */
export function promptOf(view) {
  if (view.hold) return { title: t("prompt_hold"), sub: t("sub_hold", { why: view.hold }) };
  const said = BY_PHASE[view.phase];
  return said ? said(view) : { title: view.prompt };
}

const HAND = { rochi: 5, captains: 7 };
const cardsEach = (view) =>
  [t("cards_each", { count: HAND[view.game] }), view.game === "captains" && t("antes")].filter(Boolean).join(" ");

const BY_PHASE = {
  waiting: (view) => ({
    title: t("sit_down"),
    sub: view.players.length < 2 ? t("needs_players", { count: 2 - view.players.length }) : t("new_game_hint"),
  }),
  seeding: (view) => ({ title: t("seed_more", { count: view.to_seed }), sub: cardsEach(view) }),
  turns: (view) => ({ title: t("turn_of", { player: view.turn }), sub: choices(view), player: view.turn }),
  "last-player": (view) => ({
    title: t("turn_of", { player: view.turn }),
    sub: t("last_player_deals"),
    player: view.turn,
  }),
  "odd-coin": (view) => ({
    title: t("odd_coin_of", { player: view.odd_coin }),
    sub: t("odd_coin_hint"),
    player: view.odd_coin,
  }),
  "between-hands": between,
  finished: (view) => ({
    title: t("game_over"),
    sub: t("game_over_hint"),
    ...(view.game === "captains" ? {} : won(view)), // its latest cut has not ended it
  }),
};

function between(view) {
  const present = view.players.length - (view.away?.length || 0);
  const more =
    present < 3 ? t("needs_players", { count: 3 - present }) : t("next_leader", { player: view.next_leader });
  return { title: t("hand_over"), sub: more, ...won(view) };
}

/** The latest hand's winner as a title, while its stacks still lie there. */
function won(view) {
  const { winner, suit } = view.latest || {};
  if (view.latest === undefined || view.latest === null)
    return view.hand > 0 || view.game === "captains" ? {} : { title: t("sit_down") };
  return winner
    ? { title: t("wins_with", { player: winner, suit: suitName(suit) }), suit, player: winner }
    : { title: t("nobody_wins") };
}
