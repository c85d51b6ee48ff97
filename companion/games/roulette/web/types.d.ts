// Made by `python -m tools.browser_types` from the program's own types. Do not edit.
import type { Limits, Stake, Transfer, Won } from "../../../../web_ui/static/js/types";

/** A pocket and its count. */
export interface PocketCount {
  pocket: string;
  count: number;
}

/** An undecided bet. */
export interface RouletteBet {
  player: string;
  on: string;
  amount: number;
  pays: string;
  wins: number;
}

/** Result of a spin. */
export interface RouletteResult {
  paid?: Won[];
  transfers?: Transfer[];
  pocket: string;
  /** Imprisoned bets after the spin. */
  imprisoned: Stake[];
}

/** A bet decided by the last spin. */
export interface RouletteSettled {
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

/** Public view of roulette. */
export interface RouletteView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  wheel: string;
  zero_rule: string;
  limits: Limits;
  bets: RouletteBet[];
  /** Even-money bets imprisoned by a zero. */
  imprisoned: Stake[];
  /** Spot -> price. */
  spots: Record<string, string>;
  /** Recent pockets, newest first. */
  last: string[];
  /** The most frequent pockets, with counts above 1. */
  hot: PocketCount[];
  wheel_test: WheelTest;
  /** Result of the last spin. */
  result: RouletteResult | null;
  settled: RouletteSettled[];
}

/** Fairness test of the wheel's spins so far, valid at any time. */
export interface WheelTest {
  spins: number;
  /** Current value of one coin bet on biased wheels at a fair wheel's odds. */
  e_value: number;
  verdict: string;
}
