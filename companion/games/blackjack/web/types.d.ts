// Made by `python -m tools.browser_types` from the program's own types. Do not edit.
import type { Limits, Result, Stake, Transfer, Won } from "../../../../web_ui/static/js/types";

/** Result of a round. */
export interface BlackjackResult {
  paid?: Won[];
  transfers?: Transfer[];
  dealer: string[];
  total: number;
  blackjack: boolean;
}

/** Public view of blackjack. */
export interface BlackjackView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  limits: Limits;
  decks: number;
  soft17: "stand" | "hit";
  surrender: "late" | "early" | "none";
  split_aces: "play-on" | "one-card";
  /** False if the house forbids hints. */
  hints?: boolean;
  /** The largest bet, if cap or bank allow less than the maximum: a blackjack wins half as much again. */
  most_bet?: number | null;
  bets: Stake[];
  boxes: Box[];
  dealer: Dealer;
  /** Recipient of the next card in the usual dealing order. */
  next_card: NextCard | null;
  /** Choices of the player to act. */
  choices: string[];
  may_insure: string[];
  /** Cards of which all copies in the shoe were dealt. */
  used_up: string[];
  result: BlackjackResult | null;
  settled: Settled[];
  /** Hands of the last decided round. */
  last: Box[];
  summary: string | null;
}

/** A player's hands from left to right, and the insurance. */
export interface Box {
  player: string;
  seat: number;
  insured: number;
  hands: companion__games__blackjack__shapes__Hand[];
}

/** The dealer's known cards. */
export interface Dealer {
  cards: string[];
  total: number;
  is_soft: boolean;
  /** Whether the hole card is still face down. */
  has_hole: boolean;
  must_draw: boolean;
}

/** Recipient of the next card, and the verb that deals it. */
export interface NextCard {
  do: string;
  to: string;
  /** 0 for the dealer. */
  hand: number;
}

/** A bet of the last round, with its outcome as text. */
export interface Settled {
  player: string;
  on: string;
  amount: number;
  won: number;
  /** Coins of the stake that came back, where a game says how each bet ended. */
  returned?: number;
  /** How it ended, in one word. */
  outcome?: string;
  is_won: boolean;
  text: string;
}

/** A hand on the table. ``amount`` is its total stake, kept after settlement. */
export interface companion__games__blackjack__shapes__Hand {
  cards: string[];
  stake: number;
  total: number;
  number: number;
  is_soft: boolean;
  amount: number;
  state: "open" | "turn" | "waiting" | "blackjack" | "stood" | "bust" | "surrendered" | "given-up";
}

/** Summary of a hand or round. */
export interface companion__journal__history__hand_history__Hand {
  /** ``SESSION-NUMBER``. */
  id: string;
  session: number;
  /** Of the hand within its session. */
  number: number;
  game: string;
  /** Those seated during it, sorted. */
  players: string[];
  /** Seq of its first entry. */
  first: number;
  /** Seq of its last entry so far. */
  last: number;
  begun: string;
  ended: string | null;
  /** Seq of the entry that decided it. */
  decided: number | null;
  /** The hash of that entry. */
  head: string | null;
  /** As printed by `companion replay`; null while undecided. */
  result: Result | null;
  /** The result as a sentence. */
  told: string | null;
  /** Whether all of it was undone. */
  is_undone: boolean;
  /** What happened, without undone commands. */
  sentences: string[];
}
