// Made by `python -m tools.browser_types` from the program's own types. Do not edit.
import type { Transfer, Won } from "../../../../web_ui/static/js/types";

/** Final result of a game. */
export interface FinalResult {
  paid?: Won[];
  transfers?: Transfer[];
  final: Record<string, number>;
  tokens: Record<string, number>;
  candidate: string;
}

/** A possible guess and its points. */
export interface Guess {
  range: string;
  points: number;
}

/** Public view of King of Roulette, without secrets. */
export interface KingView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  round: number;
  /** Total number of rounds. */
  all_rounds: number;
  king: string | null;
  spaces: (number | string)[];
  ranges: Guess[];
  points: Record<string, number>;
  bonuses: Record<string, number>;
  /** Player -> price of the next Double Bonus. */
  prices: Record<string, number>;
  voted: string[];
  /** Whether the previous vote was tied and is being repeated. */
  vote_tied: boolean;
  ready: Ready;
  /** Players with a pending secret choice, or the king during an election. */
  waiting: string[];
  tied: string[];
  /** Last revealed round. */
  revealed: RoundResult | null;
  final: FinalResult | null;
  /** Players who choose the Elimination Candidate. */
  choosing: string[];
}

/** Choices already made in the round. */
export interface Ready {
  rule: boolean;
  guess: boolean;
  /** Players who have bet. */
  bets: string[];
}

/** Result of a round. */
export interface RoundResult {
  paid?: Won[];
  transfers?: Transfer[];
  round: number;
  king: string;
  rule: Rule;
  guess: string;
  /** Number of others who earned points. */
  earned: number;
  bets: Record<string, number | string>;
  /** Players who used a Double Bonus. */
  bonus: string[];
  /** Points of this round. */
  points: Record<string, number>;
  /** Null if the king still has to decide, and after the last round. */
  next_king: string | null;
}

/** A rigging rule. */
export interface Rule {
  text: string;
  one: number[];
  two: number;
}
