// What every page starts with: its data, its texts, and how numbers are written.

export const data = JSON.parse(document.getElementById("page-data").textContent);
const plural = new Intl.PluralRules(document.documentElement.lang || "en");
const language = document.documentElement.lang || "en";
const whole = new Intl.NumberFormat(language, { useGrouping: "always" }); // Spanish would leave 1234 as it is

/** Return a text of the catalogue with its values filled in. */
export function t(key, values = {}) {
  let text = data.strings[key];
  if (text === undefined) throw new Error(`no text for ${key}`);
  if (typeof text === "object") text = text[plural.select(values.count)] || text.other;
  return text.replace(/\{(\w+)\}/g, (_, name) =>
    typeof values[name] === "number" ? whole.format(values[name]) : values[name],
  );
}

/** Return whether the catalogue has this text. */
export const has = (key) => key in data.strings;

/** A verb, a field, a fact or a phase by its id: "no-more-bets" is "No more bets". */
export function named(kind, id) {
  if (has(`${kind}_${id}`)) return t(`${kind}_${id}`);
  const words = id.replace(/[-_]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Who gave a command, by its source in the journal: "Phone of seat 3". */
export function sourceName(source) {
  const [kind, seat] = source.split("/");
  return has(`source_${kind}`) ? t(`source_${kind}`, { seat }) : source;
}

export const number = (n) => whole.format(n).replace("-", "−");

/** A price with its thousands apart: "10,000:1". */
export const priceText = (price) => String(price).replace(/\d{4,}/g, (digits) => number(Number(digits)));

/** Return a number with so many decimals, as the page's language writes it. */
export const decimals = (n, places) =>
  n.toLocaleString(language, {
    useGrouping: "always",
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  });

/** Return a chance as people say it: 23 %, 4.5 %, 0.31 %, 1 in 45,000. */
export function chance(p) {
  if (p === 0) return t("never");
  if (p === 1) return "100 %";
  const percent = p * 100;
  if (percent >= 10) return `${Math.min(99, Math.round(percent))} %`;
  if (percent >= 1) return `${decimals(percent, 1)} %`;
  if (percent >= 0.1) return `${decimals(percent, 2)} %`;
  return t("one_in", { n: Math.round(1 / p) });
}

/** Return the time of day of a journal entry or a clock reading. */
export function clock(at, seconds = true) {
  const parts = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  if (seconds) parts.second = "2-digit";
  return new Date(at).toLocaleTimeString(document.documentElement.lang || "en", parts);
}

export const suitName = (rank) => t(`suit_${rank}`);

/** Return a card in words: "Kin day 3". */
export function cardName(id) {
  return t("card_name", {
    suit: suitName(id[0]),
    half: t(id[1] === "D" ? "day" : "night"),
    number: Number(id.slice(2)),
  });
}
