// Made by `python -m tools.browser_types` from the program's own types. Do not edit.
import type { Transfer, Won } from "../../../../web_ui/static/js/types";

/** The game is over. */
export interface FinalResult {
  paid?: Won[];
  transfers?: Transfer[];
  final: Record<string, number>;
  tokens: Record<string, number>;
  candidate: string;
}

/** A range that the king may guess, and what it is worth. */
export interface Guess {
  range: string;
  points: number;
}

/** King of Roulette as the room may see it. What is secret is not in it. */
export interface KingView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  round: number;
  /** How many the game has. */
  all_rounds: number;
  king: string | null;
  spaces: (number | string)[];
  ranges: Guess[];
  points: Record<string, number>;
  bonuses: Record<string, number>;
  /** What each player's next Double Bonus costs. */
  prices: Record<string, number>;
  voted: string[];
  /** The vote before was tied, and its votes are gone: everybody votes again. */
  vote_tied: boolean;
  ready: Ready;
  /** Who still has a secret choice to make, or the king to elect. */
  waiting: string[];
  tied: string[];
  /** The last round that was revealed. */
  revealed: RoundResult | null;
  final: FinalResult | null;
  /** Who names the candidate. */
  choosing: string[];
}

/** What is there of a round. */
export interface Ready {
  rule: boolean;
  guess: boolean;
  /** Who has bet. */
  bets: string[];
}

/** A round was revealed. */
export interface RoundResult {
  paid?: Won[];
  transfers?: Transfer[];
  round: number;
  king: string;
  rule: Rule;
  guess: string;
  /** How many others earned points. */
  earned: number;
  bets: Record<string, number | string>;
  /** Who used a Double Bonus. */
  bonus: string[];
  /** Of this round. */
  points: Record<string, number>;
  /** Null where the king still has to decide, and after the last round. */
  next_king: string | null;
}

/** A rigging rule. */
export interface Rule {
  text: string;
  one: number[];
  two: number;
}
