// Betting at the Rugen tables, for a player's phone and for the dealer: touch a spot of the felt, choose how much in
// steps that the spot allows, place it. Street and Capital: take a number.

import { amountInput, amountReason, newAmount, numberIn } from "../../js/amount_field.js";
import { h } from "../../js/dom.js";
import { number, t } from "../../js/page.js";
import { houseFelt, NUMBERS, spotName, unitOf } from "./parts.js";
import { costOf } from "./words.js";

export const QUICK = [1, 5, 10];

/** What somebody is choosing, kept by the page between drawings. */
export const newChoice = () => ({ on: null, amount: null });

/** Choose a spot; how much begins at the least that it takes, in its own unit. */
export function choose(choice, on, step = unitOf(on), least = step) {
  if (choice.on !== on) Object.assign(choice, { on, amount: newAmount(least, { least, step }) });
}

/** How many units, kept by the page between drawings. */
export const newUnits = (least = 1) => newAmount(least, { least, coins: false });

/** − amount +, and some amounts to touch; any other is typed. */
export function stepper(amount, redraw, label, quick = []) {
  const { step, least } = amount;
  const now = Number(amount.text) || 0;
  const set = (n) => ((amount.text = String(Math.max(least, n))), redraw());
  return h(
    "div",
    { class: "stepper", role: "group", "aria-label": label },
    h(
      "button",
      {
        type: "button",
        "aria-label": t("less"),
        "aria-disabled": now <= least ? "true" : null,
        onclick: () => now > least && set((Math.ceil(now / step) - 1) * step),
      },
      "−",
    ),
    amountInput(amount, redraw, { key: "typed", "aria-label": label }),
    h(
      "button",
      { type: "button", "aria-label": t("more"), onclick: () => set((Math.floor(now / step) + 1) * step) },
      "+",
    ),
    quick.map((n) =>
      h(
        "button",
        { type: "button", key: n, class: "quick", "aria-pressed": String(now === n), onclick: () => set(n) },
        number(n),
      ),
    ),
    amountReason(amount),
  );
}

/** Whether a chain bet may be placed now: at the chain's start, or late on a number without a marker. */
const chainOpen = (view, on) =>
  view.chain.length === 0 || (view.late_chain && view.spaces[Number(on.split("/")[1]) - 1].count === 0);

/** Whether a spot takes bets now. */
export const isOpen = (view, on) => view.expected.includes("bet") && (!on.startsWith("chain") || chainOpen(view, on));

/** The felt to touch, and how much to bet on the spot that was touched. */
export function sheet(view, { player, choice, bets, redraw, open, columns = 2 }) {
  const pending = bets.pendingOf(player.name);
  const touch = (on) => {
    choose(choice, on);
    redraw();
  };
  return [
    houseFelt(view, {
      columns,
      use: { enabled: (on) => open && isOpen(view, on), chosen: choice.on, pending, onTouch: touch },
    }),
    open && choice.on && stepperBar(view, player, choice, bets, redraw),
  ];
}

/** How much: a multiple of the spot's own unit, so that no bet can be of a wrong size. */
export function stepperBar(view, player, choice, bets, redraw) {
  const { on } = choice;
  const unit = unitOf(on);
  const amount = numberIn(choice.amount);
  const closed = !isOpen(view, on);
  const isPending = bets.pendingOf(player.name).has(on);
  const mine = view.bets.find((bet) => bet.on === on && bet.player === player.name);
  const off = closed || isPending || amount === null;
  return h(
    "section",
    { class: "bet-bar", key: "bar", "aria-label": spotName(on) },
    h(
      "p",
      { class: "bet-on" },
      h("strong", {}, spotName(on)),
      h("span", {}, t("pays", { price: view.spots[on] }), unit > 1 && ` · ${t("in_steps", { unit })}`),
    ),
    stepper(
      choice.amount,
      redraw,
      t("amount"),
      QUICK.map((times) => times * unit),
    ),
    h(
      "div",
      { class: "actions" },
      h(
        "button",
        {
          type: "button",
          class: "primary place",
          "aria-disabled": off ? "true" : null,
          onclick: () => !off && bets.bet(player.name, on, amount),
        },
        closed ? t("spot_closed") : t("bet_do", { amount: coinsText(amount), spot: spotName(on) }),
      ),
      mine &&
        h(
          "button",
          {
            type: "button",
            "aria-disabled": isPending || closed ? "true" : null,
            onclick: () => !closed && bets.takeBack(player.name, on, mine.amount),
          },
          t("take_back_n", { amount: number(mine.amount) }),
        ),
    ),
  );
}

/** Whether who takes a number now says for how many units. */
export const isFirst = (view) => view.game === "rugen-capital" && !view.wager.units;

/** An amount, or that there is none yet. */
export const coinsText = (amount) => (amount === null ? "…" : number(amount));

/** The numbers that can be taken, with what they cost; the first to take one says for how many units. */
export function takeSheet(view, { player, units, busy, redraw, onTake }) {
  const first = isFirst(view);
  const playing = first ? numberIn(units) : view.wager.units;
  return h(
    "section",
    { class: "take-sheet", key: "take", "aria-label": t("who_takes") },
    first && h("div", { class: "units" }, h("span", {}, t("units")), stepper(units, redraw, t("units"))),
    h(
      "div",
      { class: "take-numbers" },
      NUMBERS.map((n) => {
        const claim = view.wager.claims.find((one) => one.number === n);
        const coins = playing && playing * costOf(view, n).unit;
        const off = claim || playing === null || player.name === view.shooter || busy.has("take");
        return h(
          "button",
          {
            type: "button",
            key: n,
            class: claim?.player === player.name ? "mine" : "",
            "aria-disabled": off ? "true" : null,
            onclick: () =>
              !off && onTake({ do: "take", player: player.name, number: n, ...(first && { units: playing }) }),
          },
          h("b", { class: "numeral" }, n),
          h(
            "span",
            {},
            claim ? t("taken_by", { player: claim.player ?? t("house") }) : t("take_for", { coins: coinsText(coins) }),
          ),
        );
      }),
    ),
  );
}
