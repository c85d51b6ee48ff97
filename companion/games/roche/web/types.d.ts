// Made by `python -m tools.browser_types` from the program's own types. Do not edit.
import type { Limits, Transfer, Won } from "../../../../web_ui/static/js/types";

/** An undecided bet. */
export interface PlacedBet {
  player: string;
  on: string;
  amount: number;
  pays: string;
  wins: number;
}

/** Result of a round. */
export interface RocheResult {
  paid?: Won[];
  transfers?: Transfer[];
  /** The suit that was cut. */
  cut: number;
  /** The card that cut it. */
  last: string;
  /** ``day``, ``night`` or ``neutral``. */
  half: string;
  /** The suit's face-up cards. */
  included: string[];
}

/** A suit's face-up cards. */
export interface RocheStack {
  suit: number;
  name: string;
  cards: string[];
  count: number;
  cut_at: number;
  to_cut: number;
  is_cut: boolean;
}

/** Public view of Roche. */
export interface RocheView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  round: number;
  layout: string;
  deck: string;
  limits: Limits;
  stacks: RocheStack[];
  dealt: string[];
  last: string | null;
  burned: number;
  left: number;
  bets: PlacedBet[];
  /** Spot -> price. */
  spots: Record<string, string>;
  result: RocheResult | null;
  settled: SettledBet[];
}

/** A decided bet, as explained on pages; an odd coin on an X:2 price may win nothing and still be returned. */
export interface SettledBet {
  player: string;
  on: string;
  amount: number;
  won: number;
  /** Coins of the stake that came back, where a game says how each bet ended. */
  returned?: number;
  /** How it ended, in one word. */
  outcome?: string;
  is_won: boolean;
  pays: string;
}
