// The roulette table as the room sees it, live and in the history.

import { h } from "../../js/dom.js";
import { people } from "../../js/aside.js";
import { betsInWords, closedLegend } from "../../js/felt_svg.js";
import { t } from "../../js/page.js";
import { felt } from "./felt.js";
import { hotNumbers, lastNumbers } from "./numbers.js";
import { colorOf, pocketName, spotName } from "./spots.js";

/** On a narrow window the layout stands upright. */
export const narrow = matchMedia("(max-width: 700px)");

/** What lies on the table. */
export const board = (view) =>
  h(
    "section",
    { class: "board-wheel", key: "board", "aria-label": t("bets") },
    felt(view, { lying: !narrow.matches }),
    closedLegend(view),
    betsInWords([...view.imprisoned, ...view.bets], spotName),
    h("div", { class: "came", key: "came" }, lastNumbers(view), hotNumbers(view)),
  );

/** Who sits round it, and the bank. */
export const around = (view) => people(view);

/** The pocket of the latest spin, large. */
export const lastCard = (view) =>
  view.result &&
  h(
    "section",
    { class: `last-die last-pocket ${colorOf(view.result.pocket)}`, key: "pocket", "data-place": "wheel" },
    h("b", { key: view.rounds }, view.result.pocket),
    h(
      "div",
      {},
      h("h2", { class: "label" }, t("last_spin")),
      h("p", { class: "name" }, pocketName(view.result.pocket)),
    ),
  );

/** Nothing flies. */
export const flights = () => ({});
