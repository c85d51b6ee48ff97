// Betting by touching the layout, for a player's phone and for the dealer.

import { h } from "../../js/dom.js";
import { coinsOf, newChips, whyNoCoins } from "../../js/chips.js";
import { number, t } from "../../js/page.js";
import { toast } from "../../js/shell.js";
import { felt } from "./felt.js";
import { spotName } from "./spots.js";

/** What somebody is choosing, kept by the page between drawings: the chips, and the spot that is looked at. */
export const newChoice = () => ({ ...newChips(), on: null });

/**
 * The layout to touch, and what lies on the spot that was touched or looked at last.
 * @param {object} view the table
 * @param {object} choice see newChoice
 * @param {{player: string, bets: object, enabled: boolean, redraw: function, lying?: boolean}} how
 */
export function sheet(view, choice, { player, bets, enabled, redraw, lying = false }) {
  const says = (on) => {
    const named = { spot: spotName(on), price: view.spots[on] };
    const coins = coinsOf(choice);
    const mine = amountOf(view.bets, player, on);
    const said =
      coins === null
        ? t("spot_waits", { ...named, why: whyNoCoins(choice) })
        : t("touch_to_bet", { ...named, amount: coins });
    return mine ? `${said}. ${t("your_bets")}: ${number(mine)}` : said;
  };
  const onBet = (on) => {
    const coins = coinsOf(choice);
    if (coins === null) toast(whyNoCoins(choice), "error");
    else bets.bet(player, on, coins);
  };
  return [
    aimed(view, choice.on, player),
    felt(view, { lying, use: { aim: choice, pending: bets.pendingOf(player), enabled, says, onBet, redraw } }),
  ];
}

const amountOf = (bets, player, on) => bets.find((bet) => bet.player === player && bet.on === on)?.amount ?? 0;

/** The spot that is looked at, what it pays, and what the player has there. */
function aimed(view, on, player) {
  const mine = on ? amountOf(view.bets, player, on) : 0;
  return h(
    "p",
    { class: "aimed", key: "aimed" },
    h("strong", {}, on ? spotName(on) : t("no_own_bets")),
    on && h("span", {}, t("pays", { price: view.spots[on] })),
    mine > 0 && h("b", {}, t("you_have", { amount: number(mine) })),
  );
}

/** Bets that can be taken back, and those in prison, which cannot. */
export const betRows = (view, { players, bets, open }) => [
  ...view.imprisoned.filter((bet) => players.has(bet.player)).map((bet) => row(bet, t("in_prison"), players)),
  ...view.bets
    .filter((bet) => players.has(bet.player))
    .map((bet) => row(bet, t("pays", { price: bet.pays }), players, open && takeBack(bet, bets, players))),
];

const row = (bet, small, players, button) =>
  h(
    "li",
    { key: `${bet.player}/${bet.on}/${small}` },
    h("span", {}, players.size > 1 && [h("strong", {}, bet.player), " "], spotName(bet.on), h("small", {}, small)),
    h("b", {}, number(bet.amount)),
    button,
  );

function takeBack(bet, bets, players) {
  const said = t("take_back_what", { amount: bet.amount, spot: spotName(bet.on) });
  return h(
    "button",
    {
      type: "button",
      class: "quiet-button",
      "aria-label": players.size > 1 ? `${bet.player}: ${said}` : said,
      "aria-disabled": bets.pendingOf(bet.player).has(bet.on) ? "true" : null,
      onclick: () => bets.takeBack(bet.player, bet.on, bet.amount),
    },
    t("take_back"),
  );
}
