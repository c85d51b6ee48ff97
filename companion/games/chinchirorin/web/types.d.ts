// Made by `python -m tools.browser_types` from the program's own types. Do not edit.
import type { Transfer, Won } from "../../../../web_ui/static/js/types";

/** An undecided bet. ``on`` is the same for all, since there is only one kind of bet. */
export interface Bet {
  player: string;
  on: string;
  amount: number;
}

/** Public view of chinchirorin. */
export interface ChinchirorinView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  banker: string | null;
  /** Player who throws for the bettors. */
  player: string | null;
  /** Amount the banker risks. */
  bank: number | null;
  /** Amount that may still be bet without the banker's consent; never negative. */
  left: number | null;
  bets: Bet[];
  /** Players who may still bet: clockwise from the banker, starting with the last bettor. */
  may_bet: string[];
  asked: string[];
  drawn: Drawn[];
  throws: Throw[];
  banker_throws: Throw[];
  banker_score: number | null;
  /** The throw that decided the last round. */
  last: Throw | null;
  result: RoundResult | null;
  /** The last result as text. */
  summary: string | null;
}

/** A player's die in the draw for the bank. */
export interface Drawn {
  player: string;
  die: number;
}

/** Result of a round. */
export interface RoundResult {
  paid?: Won[];
  transfers?: Transfer[];
  banker: string;
  player: string | null;
  banker_score: number | null;
  player_score: number | null;
  outcome: "banker" | "bettors" | "wash";
  times: number;
}

/** A throw: dice (empty if one left the bowl), kind, score and text. */
export interface Throw {
  dice: number[];
  kind: string;
  score: number | null;
  text: string;
}
