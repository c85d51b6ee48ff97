// Spots by their short names: "6d" and "d6" are day/6, "17" is what the game says a number alone stands for, "red" is red.

/**
 * The spots that a word may stand for; the exact ones before all others.
 * @param {string} word lower case
 * @param {string[]} spots the ids, such as "chain-day/4"
 * @param {string} [bare] the kind of spot that is meant where only its number is said
 * @returns {string[]}
 */
export function spotsFor(word, spots, bare) {
  const exact = spots.filter((on) => on.toLowerCase() === word || on.toLowerCase() === `${bare}/${word}`);
  return exact.length > 0 ? exact.slice(0, 1) : spots.filter((on) => isShort(word, on.toLowerCase()));
}

/** Whether a word is a beginning of the kind, or its initials, together with the rest, in either order. */
function isShort(word, on) {
  const [kind, ...parts] = on.split("/");
  const rest = parts.join("-");
  if (!rest) return kind.startsWith(word);
  const initials = kind
    .split("-")
    .map((part) => part[0])
    .join("");
  const begins = [...Array(kind.length).keys()].map((n) => kind.slice(0, n + 1));
  const ways = kind.includes("-") ? [initials, kind] : begins;
  return ways.some((way) => word === way + rest || word === rest + way);
}
