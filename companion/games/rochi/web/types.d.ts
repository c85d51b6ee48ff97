// Made by `python -m tools.browser_types` from the program's own types. Do not edit.
import type {  } from "../../../../web_ui/static/js/types";

/** Actions of the player to act in this turn. */
export interface Acted {
  play: boolean;
  deal: boolean;
}

/** A player who sits out. */
export interface Away {
  player: string;
  since: number;
  marker: number;
}

/** One of the two players. */
export interface CaptainsHand {
  player: string;
  cards: number;
  is_turn: boolean;
}

/** Public view of Captain's Rochi. */
export interface CaptainsView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  deck: string;
  left: number;
  to_seed: number;
  done: Acted;
  stacks: RochiStack[];
  /** Player who has to place the odd coin. */
  odd_coin: string | null;
  hands: CaptainsHand[];
  discards: string[];
}

/** What a player would pay if the suit were cut now. */
export interface IfCut {
  player: string;
  coins: number;
  /** Coins the player would then put into a pot. */
  odd_coin?: number;
}

/** A player in the hand. */
export interface RochiHand {
  player: string;
  cards: number;
  has_acted: boolean;
  has_folded: boolean;
  is_leader: boolean;
  is_turn: boolean;
  suits: number[];
  /** Suit -> cards. */
  shields: Record<string, string[]>;
}

/** A suit, and the penalties if it were cut now. */
export interface RochiStack {
  suit: number;
  name: string;
  cards: string[];
  count: number;
  cut_at: number;
  to_cut: number;
  owner: string | null;
  is_locked: boolean;
  is_cut: boolean;
  condition: string;
  /** Price for players who do not own the suit. */
  price: number | null;
  pays_to: string | null;
  /** Player -> cards. */
  shields: Record<string, string[]>;
  if_cut: IfCut[];
}

/** Public view of Rochi. */
export interface RochiView {
  /** The one thing to do next, for whoever runs the table. */
  prompt?: string;
  /** Whose turn it is, in games with turns. */
  turn?: string | null;
  hand?: number;
  cuts?: number;
  deck: string;
  left: number;
  to_seed: number;
  done: Acted;
  stacks: RochiStack[];
  leader: string | null;
  next_leader: string | null;
  last_hand: boolean;
  join_fee: boolean;
  hands: RochiHand[];
  away: Away[];
  gone: string[];
}
