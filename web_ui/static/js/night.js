// The plan of a casino night: what comes next, for the room and the dealer, and the notice when its time has come.

import { h } from "./dom.js";
import { data, t } from "./page.js";

/** @typedef {import("./types").RoomView} RoomView */

/** What a game is called. */
export const gameTitle = (game) => data.titles?.[game] ?? game;

/** What is planned next and when; pages that know no titles leave it out, and so does a game that is on already.
 * @param {RoomView} view */
export const nextPill = (view) =>
  data.titles &&
  view.night?.next &&
  view.night.next.game !== view.game &&
  h(
    "span",
    { class: "pill mild night-next", key: "night-next" },
    t("night_next", { game: gameTitle(view.night.next.game), time: view.night.next.at }),
  );

/** The notice that a planned game's time has come, with the one button that changes to it.
 * @param {RoomView} view
 * @param {function(object): void} change takes what the change is
 * @param {boolean} isBusy */
export function nightNotice(view, change, isBusy) {
  const due = view.night?.due;
  if (!due) return null;
  const game = gameTitle(due.game);
  return h(
    "section",
    { class: "panel night-due", key: "night-due", role: "status" },
    h("p", {}, t("night_due", { game, time: due.at })),
    h(
      "button",
      { type: "button", "aria-disabled": isBusy ? "true" : null, onclick: () => change(due) },
      t("change_to", { game }),
    ),
  );
}
