// The roulette table as the room sees it, live and in the history.

import { h } from "../../js/dom.js";
import { people } from "../../js/aside.js";
import { betsInWords, closedLegend } from "../../js/felt_svg.js";
import { t } from "../../js/page.js";
import { cellSign, felt, lying } from "./felt.js";
import { hotNumbers, lastNumbers } from "./numbers.js";
import { colorOf, pocketName, spotName } from "./spots.js";

/** On a narrow window the layout stands upright. */
export const narrow = matchMedia("(max-width: 43.75em)");

/** What lies on the table, and below it what came: `latest`, the spin that is being paid, large. */
export const board = (view, latest = null) =>
  h(
    "section",
    { class: "board-wheel", key: "board", "aria-label": t("bets") },
    felt(view, { lying: !narrow.matches }),
    closedLegend(view),
    betsInWords(lying(view), spotName),
    h("div", { class: "came", key: "came" }, latest, lastNumbers(view), hotNumbers(view)),
  );

/** Who sits round it, and the bank. */
export const around = (view) => people(view);

/** The pocket of the latest spin, large, and the bets that were neither won nor lost. */
export const lastCard = (view) =>
  view.result &&
  h(
    "section",
    { class: `last-pocket ${colorOf(view.result.pocket)}`, key: "pocket", "data-place": "wheel" },
    h("b", { key: view.rounds }, view.result.pocket),
    h(
      "div",
      {},
      h("h2", { class: "label" }, t("last_spin")),
      h("p", { class: "name" }, pocketName(view.result.pocket)),
      counted("prisoners", "bets_in_prison", view.imprisoned, cellSign),
      counted("released", "bets_released", endedAs(view, "released")),
      counted("halved", "bets_halved", endedAs(view, "surrender")),
    ),
  );

const endedAs = (view, outcome) => view.settled.filter((line) => line.outcome === outcome);

const counted = (key, text, bets, sign) =>
  bets.length > 0 && h("p", { key, class: key }, sign?.(), t(text, { count: bets.length }));

/** Nothing flies. */
export const flights = () => ({});
