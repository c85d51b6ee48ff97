// The chips to choose an amount with, and a field for any other.

import { h } from "./dom.js";
import { amountInput, amountReason, isEmpty, newAmount, numberIn, refusal } from "./amount_field.js";
import { t } from "./page.js";

export const CHIPS = [1, 5, 10, 25, 100];
const narrow = matchMedia("(max-width: 22em)");
/** How many digits have room beside the chips. */
const short = () => (narrow.matches ? 3 : 6);

/** What somebody is choosing, kept by the page between drawings. An empty own amount means the chip chosen last. */
export const newChips = () => ({ chip: 5, own: newAmount("", { optional: true }) });

/** The coins that a touch bets; null while the own amount is refused. */
export const coinsOf = ({ chip, own }) => (isEmpty(own) ? chip : numberIn(own));

/** Why there is nothing to bet; null where there is. */
export const whyNoCoins = ({ own }) => refusal(own);

/** The chips, and the field. */
export function chips(choice, redraw) {
  const { own } = choice;
  return h(
    "div",
    { class: "amounts", key: "chips" },
    h(
      "div",
      { class: "chips", role: "group", "aria-label": t("amount") },
      CHIPS.map((n) => chip(n, choice, redraw)),
      amountInput(own, redraw, {
        key: "own",
        class: `own-amount${numberIn(own) === null ? "" : " chosen"}${own.text.length > short() ? " long" : ""}`,
        placeholder: "…",
        "aria-label": t("own_amount"),
      }),
    ),
    amountReason(own),
  );
}

function chip(n, choice, redraw) {
  const choose = () => {
    choice.chip = n;
    choice.own.text = "";
    redraw();
  };
  const isChosen = isEmpty(choice.own) && choice.chip === n;
  const props = { "aria-pressed": String(isChosen), "aria-label": t("chip_of", { n }), onclick: choose };
  return h("button", { type: "button", key: n, class: `chip-button c${n}`, ...props }, n);
}
