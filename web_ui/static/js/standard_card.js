// Ordinary playing cards as they are typed and written.

const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };

/** The card that is typed as "as", "th" or "10h"; null for anything else. */
export function standardCard(word) {
  const [, rank, suit] = /^(10|[2-9tjqka])([shdc])$/.exec(word.toLowerCase()) ?? [];
  return rank ? `${rank === "10" ? "T" : rank.toUpperCase()}${suit.toUpperCase()}` : null;
}

/** A card as text: "10♦". */
export const cardText = (id) => (id[0] === "T" ? "10" : id[0]) + SUITS[id[1]];
