// Made by `python -m tools.browser_types` from the program's own types. Do not edit.
import type { Limits, Transfer, Won } from "../../../../web_ui/static/js/types";

/** A number's space and its holder. */
export interface CapitalSpace {
  number: number;
  markers: string[];
  count: number;
  to_break: number;
  player: string | null;
  staked: number;
}

/** Result of a Street or Capital chain; a null winner is the house. */
export interface ChainResult {
  paid?: Won[];
  transfers?: Transfer[];
  number: number;
  face: string;
  chain: string[];
  winner: string | null;
}

/** A number, its holder (null: the house) and the coins staked on it. */
export interface Claim {
  number: number;
  player: string | null;
  amount: number;
}

/** Result of a House Rugen chain. */
export interface HouseChainResult {
  paid?: Won[];
  transfers?: Transfer[];
  number: number;
  face: string;
  chain: string[];
}

/** One bet of a decided round, as pages have it. */
export interface Paid {
  player: string;
  on: string;
  amount: number;
  won: number;
  /** Coins of the stake that came back, where a game says how each bet ended. */
  returned?: number;
  /** How it ended, in one word. */
  outcome?: string;
  is_won: boolean;
}

/** An undecided bet. */
export interface RugenBet {
  player: string;
  on: string;
  amount: number;
  pays: string;
}

/** Public view of Capital Rugen. */
export interface RugenCapitalView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  throws: number;
  chain: string[];
  last: string | null;
  schedule: Schedule;
  limits: Limits;
  wager: Wager;
  free: number[];
  spaces: CapitalSpace[];
  result: ChainResult | null;
  stake_back: number;
}

/** Public view of House Rugen. */
export interface RugenHouseView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  throws: number;
  chain: string[];
  last: string | null;
  late_chain: boolean;
  chain_day_night: string;
  better_half: string;
  limits: Limits;
  spaces: RugenSpace[];
  bets: RugenBet[];
  /** Spot -> price. */
  spots: Record<string, string>;
  settled: Paid[];
  paid_now: Paid[];
  result: HouseChainResult | null;
}

/** A number's space with the markers on it. */
export interface RugenSpace {
  number: number;
  markers: string[];
  count: number;
  to_break: number;
}

/** Public view of Street Rugen. */
export interface RugenStreetView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  throws: number;
  chain: string[];
  last: string | null;
  shooter: string | null;
  point: number | null;
  minimum: number;
  units: Record<string, number>;
  wager: Wager;
  free: number[];
  side_bets: Wager[];
  result: ChainResult | null;
  stake_back: number;
}

/** Costs of a unit on 1, 2, 3 and 4. */
export interface Schedule {
  house: number[];
  player: number[];
}

/** Stakes on numbers, won by the first of them to break; the house is null. */
export interface Wager {
  units: number;
  claims: Claim[];
  winner: string | null;
  number: number | null;
}
