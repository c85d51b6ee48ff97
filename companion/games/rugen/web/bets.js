// Betting at the Rugen tables, for a player's phone and for the dealer: touch a spot of the felt, choose how much in
// steps that the spot allows, place it. Street and Capital: take a number.

import { h } from "../../js/dom.js";
import { number, t } from "../../js/page.js";
import { houseFelt, NUMBERS, spotName, unitOf } from "./parts.js";
import { costOf } from "./words.js";

const QUICK = [1, 5, 10];

/** What somebody is choosing, kept by the page between drawings; `times` counts the spot's own unit. */
export const newChoice = () => ({ on: null, times: 1 });

/** Whether a chain bet may be placed now: at the chain's start, or late on a number without a marker. */
const chainOpen = (view, on) =>
  view.chain.length === 0 || (view.late_chain && view.spaces[Number(on.split("/")[1]) - 1].count === 0);

/** Whether a spot takes bets now. */
export const isOpen = (view, on) => view.expected.includes("bet") && (!on.startsWith("chain") || chainOpen(view, on));

/** The felt to touch, and how much to bet on the spot that was touched. */
export function sheet(view, { player, choice, bets, redraw, open, columns = 2 }) {
  const pending = bets.pendingOf(player.name);
  const touch = (on) => {
    if (choice.on !== on) Object.assign(choice, { on, times: 1 });
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

/** How much: in steps of the spot's own unit, so that no bet can be of a wrong size. */
export function stepperBar(view, player, choice, bets, redraw) {
  const { on } = choice;
  const unit = unitOf(on);
  const amount = choice.times * unit;
  const closed = !isOpen(view, on);
  const isPending = bets.pendingOf(player.name).has(on);
  const mine = view.bets.find((bet) => bet.on === on && bet.player === player.name);
  const change = (times) => ((choice.times = Math.max(1, times)), redraw());
  return h(
    "section",
    { class: "bet-bar", key: "bar", "aria-label": spotName(on) },
    h(
      "p",
      { class: "bet-on" },
      h("strong", {}, spotName(on)),
      h("span", {}, t("pays", { price: view.spots[on] }), unit > 1 && ` · ${t("in_steps", { unit })}`),
    ),
    h(
      "div",
      { class: "stepper", role: "group", "aria-label": t("amount") },
      h(
        "button",
        {
          type: "button",
          "aria-label": t("less"),
          "aria-disabled": choice.times <= 1 ? "true" : null,
          onclick: () => change(choice.times - 1),
        },
        "−",
      ),
      h("b", { "aria-live": "polite" }, number(amount)),
      h("button", { type: "button", "aria-label": t("more"), onclick: () => change(choice.times + 1) }, "+"),
      QUICK.map((times) =>
        h(
          "button",
          {
            type: "button",
            key: times,
            class: "quick",
            "aria-pressed": String(choice.times === times),
            onclick: () => change(times),
          },
          number(times * unit),
        ),
      ),
    ),
    h(
      "div",
      { class: "actions" },
      h(
        "button",
        {
          type: "button",
          class: "primary place",
          "aria-disabled": closed || isPending ? "true" : null,
          onclick: () => !closed && bets.bet(player.name, on, amount),
        },
        closed ? t("spot_closed") : t("bet_do", { amount: number(amount), spot: spotName(on) }),
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

/** The numbers that can be taken, with what they cost. */
export function takeSheet(view, { player, units, first, busy, setUnits, onTake }) {
  const playing = view.wager.units || units;
  return h(
    "section",
    { class: "take-sheet", key: "take", "aria-label": t("who_takes") },
    first &&
      h(
        "div",
        { class: "stepper", role: "group", "aria-label": t("units") },
        h("span", {}, t("units")),
        h(
          "button",
          {
            type: "button",
            "aria-label": t("less"),
            "aria-disabled": units <= 1 ? "true" : null,
            onclick: () => units > 1 && setUnits(units - 1),
          },
          "−",
        ),
        h("b", {}, number(units)),
        h("button", { type: "button", "aria-label": t("more"), onclick: () => setUnits(units + 1) }, "+"),
      ),
    h(
      "div",
      { class: "take-numbers" },
      NUMBERS.map((n) => {
        const claim = view.wager.claims.find((one) => one.number === n);
        const coins = playing * costOf(view, n).unit;
        const off = claim || player.name === view.shooter || busy.has("take");
        return h(
          "button",
          {
            type: "button",
            key: n,
            class: claim?.player === player.name ? "mine" : "",
            "aria-disabled": off ? "true" : null,
            onclick: () => !off && onTake(n),
          },
          h("b", { class: "numeral" }, n),
          h(
            "span",
            {},
            claim ? t("taken_by", { player: claim.player ?? t("house") }) : t("take_for", { coins: number(coins) }),
          ),
        );
      }),
    ),
  );
}
