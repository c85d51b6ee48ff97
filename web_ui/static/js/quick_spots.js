// Spots by their short names: "6d" and "d6" are day/6, "17" is what a number alone stands for at this game, "red" is red.

/**
 * The spots that a word may stand for; the exact ones before all others.
 * @param {string} word lower case
 * @param {string[]} spots the ids, such as "chain-day/4"
 * @param {string} [bare] the kind of spot that is meant where only its number is said
 * @param {function(string): string} [nameOf] a spot as the page names it: what has no short name may be said so
 * @returns {string[]}
 */
export function spotsFor(word, spots, bare, nameOf = () => "") {
  const exact = spots.filter((on) => on.toLowerCase() === word || on.toLowerCase() === `${bare}/${word}`);
  if (exact.length > 0) return exact.slice(0, 1);
  const short = spots.filter((on) => isShort(word, on.toLowerCase()));
  return short.length > 0 ? short : named(plain(word), spots, nameOf);
}

/** The spots whose name is a word, or begins with it; without spaces and accents. */
function named(word, spots, nameOf) {
  const begin = spots.filter((on) => plain(nameOf(on)).startsWith(word));
  const same = begin.filter((on) => plain(nameOf(on)) === word);
  return same.length > 0 ? same : begin;
}

const plain = (text) =>
  text
    .normalize("NFD")
    .replace(/[\u0300-\u036f\s]/g, "")
    .toLowerCase();

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
