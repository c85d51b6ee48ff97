// Made by `python -m tools.browser_types` from the program's own types. Do not edit.
import type { Limits, Stake, Transfer, Won } from "../../../../web_ui/static/js/types";

/** How often a pocket came. */
export interface PocketCount {
  pocket: string;
  count: number;
}

/** A bet that is not decided. */
export interface RouletteBet {
  player: string;
  on: string;
  amount: number;
  pays: string;
  wins: number;
}

/** The ball came to rest. */
export interface RouletteResult {
  paid?: Won[];
  transfers?: Transfer[];
  pocket: string;
  /** Who sits in prison after the spin. */
  imprisoned: Stake[];
}

/** A bet that the latest spin decided. */
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

/** Roulette as the room may see it. */
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
  /** Even-money bets that wait for another spin, since the ball lay in a zero. */
  imprisoned: Stake[];
  /** What each spot of the layout pays. */
  spots: Record<string, string>;
  /** The latest pockets, the newest first. */
  last: string[];
  /** The pockets that came most often, more than once. */
  hot: PocketCount[];
  wheel_test: WheelTest;
  /** Of the latest spin. */
  result: RouletteResult | null;
  settled: RouletteSettled[];
}

/** Whether the wheel is fair, as far as its spins say; valid whenever one looks. */
export interface WheelTest {
  spins: number;
  /** What a doubter's coin, bet on biased wheels at a fair one's odds, is worth by now. */
  e_value: number;
  verdict: string;
}
