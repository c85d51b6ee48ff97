// Made by `python -m tools.browser_types` from the program's own types. Do not edit.
import type { Transfer, Won } from "../../../../web_ui/static/js/types";

/** The level's clock. */
export interface Clock {
  /** How long the level is. */
  seconds: number;
  /** How much of that was over when the clock was last started or paused. */
  used: number;
  runs: boolean;
  /** Since when it runs. */
  since: string | null;
}

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
  /** Only at a tournament. */
  tournament?: Tour;
}

/** A level, or a break, which has no blinds. */
export interface Level {
  level: number;
  blinds: number[] | null;
  ante: number;
  chip: number;
  minutes: number;
}

/** A pot that is not decided, and who may win it. */
export interface OpenPot {
  pot: string;
  coins: number;
  claims: string[];
}

/** Where a player finished, and the prize. */
export interface Place {
  place: number;
  player: string;
  coins: number;
}

/** A pot of a decided hand. */
export interface Pot {
  pot: string;
  coins: number;
  winners: string[];
}

/** A chip race: so many chips, at most one each, for those who have odd coins. */
export interface Race {
  chip: number;
  chips: number;
  odd: Record<string, number>;
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

/** A tournament as the room may see it. */
export interface Tour {
  clock: Clock;
  level: Level;
  /** The level or break after this one; null in the last. */
  following: Level | null;
  has_begun: boolean;
  rebuys_open: boolean;
  rebuy_until: number;
  rebuys: number;
  /** Who has no coins, and may come in for a stack. */
  may_come_in: string[];
  /** Whether the big blind puts in the ante for all. */
  big_blind_ante: boolean;
  /** Who may have an add-on. */
  may_add: string[];
  stack: number;
  add_on: number;
  entrants: number;
  /** How many have coins. */
  left: number;
  pool: number;
  average: number;
  /** The first place's first. */
  prizes: number[];
  /** The same in hundredths of all coins. */
  shares: number[];
  /** Who has no coins, the latest first. */
  out: string[];
  race: Race | null;
  /** Once it is decided. */
  places: Place[];
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
  /** In front of them. */
  coins: number;
  staked: number;
  /** Coins that they have put aside, if they have any. */
  aside?: number;
}
