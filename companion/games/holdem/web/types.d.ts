// Made by `python -m tools.browser_types` from the program's own types. Do not edit.
import type { Transfer, Won } from "../../../../web_ui/static/js/types";

/** A decided hand. */
export interface HandResult {
  paid?: Won[];
  transfers?: Transfer[];
  hand: number;
  button: string;
  board: string[];
  pots: Pot[];
  hands: Record<string, Shown>;
  mucked: string[];
}

/** Hold'em as the room may see it. */
export interface HoldemView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  button: string | null;
  small_blind: string | null;
  big_blind: string | null;
  blinds: number[];
  min_chip: number;
  /** In seat order. */
  in_hand: companion__games__holdem__shapes__Player[];
  board: string[];
  /** What a stake of this round must come to. */
  bet: number;
  /** The least that a bet or raise comes to, unless it is everything. */
  raise_to: number | null;
  /** What whoever's turn it is puts in to call; 0 where a check is free. */
  to_call: number;
  /** The bets or raises to choose from; none where neither can be made. */
  sizes: Size[];
  /** All coins in pots and stakes. */
  total: number;
  open_pots: OpenPot[];
  result: HandResult | null;
  /** The latest hand in words. */
  summary: string | null;
}

/** A pot that is not decided, and who may win it. */
export interface OpenPot {
  pot: string;
  coins: number;
  claims: string[];
}

/** A pot of a decided hand. */
export interface Pot {
  pot: string;
  coins: number;
  winners: string[];
}

/** A hand that was shown: what it is, and the five cards that count. */
export interface Shown {
  rank: "high-card" | "pair" | "two-pair" | "three-of-a-kind" | "straight" | "flush" | "full-house" | "four-of-a-kind" | "straight-flush" | "royal-flush";
  cards: string[];
}

/** A bet or raise that can be made: what the whole stake of the round comes to. */
export interface Size {
  size: "least" | "half" | "pot" | "all-in";
  to: number;
}

/** A player's part in the hand. */
export interface companion__games__holdem__shapes__Player {
  player: string;
  /** Of this round. */
  stake: number;
  /** Of the whole hand. */
  total: number;
  folded: boolean;
  all_in: boolean;
  /** Whether the two cards were dealt. */
  dealt: boolean;
  /** Once they were shown. */
  cards: string[];
  /** What they come to with the board, once they were shown. */
  rank: "high-card" | "pair" | "two-pair" | "three-of-a-kind" | "straight" | "flush" | "full-house" | "four-of-a-kind" | "straight-flush" | "royal-flush" | null;
  mucked: boolean;
}

/** A player at the table. */
export interface companion__kernel__table__Player {
  seat: number;
  name: string;
  coins: number;
  staked: number;
}
