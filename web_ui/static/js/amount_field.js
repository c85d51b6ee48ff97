// A field for coins, or for another whole number. The text stays as it was typed: it counts as exactly the number that
// it says, or it is refused with a reason and blocks what it feeds. Not type="number": that hides a text it rejects.

import { announce, h } from "./dom.js";
import { t } from "./page.js";

const MOST = 10 ** 15; // the server refuses more, and up to here every number is exact
let made = 0;

/**
 * What a field holds between drawings.
 * @param {string|number} text what it begins with
 * @param {{least?: number, most?: number, step?: number, coins?: boolean, optional?: boolean}} rules step: only its
 *   multiples; optional: may be left empty
 */
export const newAmount = (text, rules = {}) => ({
  ...{ least: 1, most: MOST, step: 1, coins: true, optional: false },
  ...rules,
  id: `amount-${(made += 1)}`,
  text: String(text),
});

export const isEmpty = (amount) => amount.text.trim() === "";

/** Return the number that was typed; null where there is none, or none that is allowed. */
export function numberIn(amount) {
  const n = within(amount);
  return n === null || n % amount.step ? null : n;
}

function within(amount) {
  const digits = amount.text.trim();
  const n = /^[0-9]+$/.test(digits) ? Number(digits) : NaN;
  return n >= amount.least && n <= amount.most ? n : null;
}

/** Return why the text is refused and what to type instead; null where it is not. */
export function refusal(amount) {
  if (numberIn(amount) !== null || (amount.optional && isEmpty(amount))) return null;
  if (within(amount) !== null) return t("amount_step", { step: amount.step });
  const reason = t(amount.coins ? "amount_coins" : "amount_number", { least: amount.least });
  if (/[^0-9-]/.test(amount.text.trim())) return `${reason} ${t("amount_digits")}`;
  const isTooMuch = Number(amount.text) > amount.most;
  return isTooMuch ? `${reason} ${t("amount_most", { most: amount.most })}` : reason;
}

/** Return the first reason among several fields; null where all are in order. */
export const firstRefusal = (...amounts) => amounts.map(refusal).find(Boolean) ?? null;

/** The field itself; `changed` draws the page anew. */
export function amountInput(amount, changed, props = {}) {
  const why = refusal(amount);
  return h("input", {
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
    ...props,
    value: amount.text,
    "aria-invalid": why && "true",
    "aria-describedby": why && `${amount.id}-why`,
    oninput: (event) => {
      amount.text = event.target.value;
      const now = refusal(amount);
      if (now && now !== why) announce(now);
      changed();
    },
  });
}

/** The reason, to be placed near the field. */
export function amountReason(amount) {
  const why = refusal(amount);
  return why && h("p", { id: `${amount.id}-why`, key: `${amount.id}-why`, class: "error amount-why" }, why);
}

/** A field under its label, with the reason below. */
export const labelled = (label, amount, changed, props = {}) =>
  h(
    "div",
    { class: "amount", key: amount.id },
    h("label", {}, label, amountInput(amount, changed, props)),
    amountReason(amount),
  );
