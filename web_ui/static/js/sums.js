// What a win comes to, said in one way everywhere: the coins to pay, the stake that goes back, and both together.

import { has, number, t } from "./page.js";

/** Whether a settled bet has won; on an X:2 price it may have won nothing and still come back. */
export const isWon = (line) => line.is_won ?? line.won > 0;

/** "40 won, stake of 4 back: 44 in all"; `wins` is how many bets that is. */
export const winText = ({ won, amount, wins = 1 }) =>
  t("win", { count: wins, won, stake: amount, total: won + amount });

/** What a bet that did not win cost: a part of the stake may come back. */
const lostOf = (line) => line.amount - (line.returned ?? 0);

/** A settled bet in words: what it brought, or what it cost; how it ended, where the game has words for that. */
export function outcomeText(line) {
  const ended = `ended_${line.outcome}`;
  if (has(ended)) return t(ended, { stake: line.amount, returned: line.returned, lost: lostOf(line) });
  return isWon(line) ? winText(line) : t("paid_lost", { amount: number(lostOf(line)) });
}

/**
 * Settled bets by player, who gets most first: {player, wins, won, amount, lost, lines}; `amount` goes back with what was
 * won.
 */
export function byPlayer(lines) {
  const found = new Map();
  for (const line of lines) {
    const one = found.get(line.player) || { player: line.player, wins: 0, won: 0, amount: 0, lost: 0, lines: [] };
    if (isWon(line))
      Object.assign(one, { wins: one.wins + 1, won: one.won + line.won, amount: one.amount + line.amount });
    else one.lost += lostOf(line);
    one.lines.push(line);
    found.set(line.player, one);
  }
  for (const one of found.values()) one.lines.sort((a, b) => isWon(b) - isWon(a) || b.won - a.won);
  return [...found.values()].sort(
    (a, b) => Boolean(b.wins) - Boolean(a.wins) || b.won + b.amount - a.won - a.amount || b.lost - a.lost,
  );
}
