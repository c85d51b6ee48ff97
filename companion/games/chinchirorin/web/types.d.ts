// Made by `python -m tools.browser_types` from the program's own types. Do not edit.
import type { Transfer, Won } from "../../../../web_ui/static/js/types";

/** A bet that is not decided. ``on`` is the same for all: there is one thing to bet on. */
export interface Bet {
  player: string;
  on: string;
  amount: number;
}

/** Chinchirorin as the room may see it. */
export interface ChinchirorinView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  banker: string | null;
  /** Who throws for the bettors. */
  player: string | null;
  /** How much the banker risks. */
  bank: number | null;
  /** How much more may be bet without the banker's word; never below 0. */
  left: number | null;
  bets: Bet[];
  /** Who is not past yet: clockwise from the banker, from the last bettor on. */
  may_bet: string[];
  asked: string[];
  drawn: Drawn[];
  throws: Throw[];
  banker_throws: Throw[];
  banker_score: number | null;
  /** The throw that decided the latest round. */
  last: Throw | null;
  result: RoundResult | null;
  /** The latest round in words. */
  summary: string | null;
}

/** What somebody threw for the bank. */
export interface Drawn {
  player: string;
  die: number;
}

/** A decided round. */
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

/** A throw: its dice, none for one out of the bowl, what it is, and in words. */
export interface Throw {
  dice: number[];
  kind: string;
  score: number | null;
  text: string;
}
