// Made by `python -m tools.browser_types` from the program's own types. Do not edit.
import type { Transfer, Won } from "../../../../web_ui/static/js/types";

/** The level clock. */
export interface Clock {
  /** Duration of the level. */
  seconds: number;
  /** Seconds elapsed when the clock was last started or paused. */
  used: number;
  runs: boolean;
  /** Time of the last start; null while paused. */
  since: string | null;
}

/** Result of a hand. */
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

/** Public view of hold'em. */
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
  /** The current bet: the stake to match in this round. */
  bet: number;
  /** Minimum bet or raise (total stake), unless all-in; null outside betting rounds. */
  raise_to: number | null;
  /** Coins the player to act needs to call; 0 if checking is free. */
  to_call: number;
  /** Preset bets or raises; empty if neither is legal. */
  sizes: Size[];
  /** Sum of all pots and stakes. */
  total: number;
  open_pots: OpenPot[];
  result: HandResult | null;
  /** The last result as text. */
  summary: string | null;
  /** Only in tournaments. */
  tournament?: Tour;
}

/** A level, or a break, with null blinds. */
export interface Level {
  level: number;
  blinds: number[] | null;
  ante: number;
  chip: number;
  minutes: number;
}

/** A pot in play, and the players eligible for it. */
export interface OpenPot {
  pot: string;
  coins: number;
  claims: string[];
}

/** A player's place and prize. */
export interface Place {
  place: number;
  player: string;
  coins: number;
}

/** A pot that was paid out. */
export interface Pot {
  pot: string;
  coins: number;
  winners: string[];
}

/** A chip race: ``chips`` chips of value ``chip`` among the players with odd coins, at most one each. */
export interface Race {
  chip: number;
  chips: number;
  odd: Record<string, number>;
}

/** A shown hand: its rank and best five cards. */
export interface Shown {
  rank: "high-card" | "pair" | "two-pair" | "three-of-a-kind" | "straight" | "flush" | "full-house" | "four-of-a-kind" | "straight-flush" | "royal-flush";
  cards: string[];
}

/** A legal bet or raise; ``to`` is the total stake in this round. */
export interface Size {
  size: "least" | "half" | "pot" | "all-in";
  to: number;
}

/** Public view of a tournament. */
export interface Tour {
  clock: Clock;
  level: Level;
  /** The next level or break; null in the last. */
  following: Level | null;
  has_begun: boolean;
  rebuys_open: boolean;
  rebuy_until: number;
  rebuys: number;
  /** Players without coins who may buy a stack. */
  may_come_in: string[];
  /** Whether the big blind posts the ante for the whole table. */
  big_blind_ante: boolean;
  /** Players who may buy an add-on. */
  may_add: string[];
  stack: number;
  add_on: number;
  entrants: number;
  /** Number of players with coins. */
  left: number;
  pool: number;
  average: number;
  /** Prizes in coins, first place first. */
  prizes: number[];
  /** Prizes in percent of all coins, first place first. */
  shares: number[];
  /** Eliminated players, latest first. */
  out: string[];
  race: Race | null;
  /** Empty until the tournament is decided. */
  places: Place[];
}

/** A player's part in the hand. */
export interface companion__games__holdem__shapes__Player {
  player: string;
  /** Coins put in during this round. */
  stake: number;
  /** Coins put in during the whole hand. */
  total: number;
  folded: boolean;
  all_in: boolean;
  /** Whether the hole cards were dealt. */
  dealt: boolean;
  /** Shown hole cards; empty before. */
  cards: string[];
  /** Best hand of the shown cards with the board; null before. */
  rank: "high-card" | "pair" | "two-pair" | "three-of-a-kind" | "straight" | "flush" | "full-house" | "four-of-a-kind" | "straight-flush" | "royal-flush" | null;
  mucked: boolean;
}

/** A player at the table. */
export interface companion__kernel__table__Player {
  seat: number;
  name: string;
  /** In front of them. */
  coins: number;
  staked: number;
  /** Coins that they have put aside, if they have any. */
  aside?: number;
}
