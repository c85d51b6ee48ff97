// What stands beside every game: timer, practice, glossary, the latest sentences, camera.

import { h, unbroken } from "./dom.js";
import * as dialog from "./dialog.js";
import { now } from "./live.js";
import { number, t } from "./page.js";
import { putAside, seatBadge } from "./pieces.js";

const LINES = 5;

/** Timer and practice, where the table has them on. */
export const extras = (view) => [timer(view), view.practice && practice(view)];

// Who knows the game folds the hints away on this screen.
const folded = { now: localStorage.getItem("practice") === "off" };

const practice = (view) =>
  h(
    "details",
    {
      class: "panel practice",
      key: "practice",
      open: !folded.now,
      ontoggle: (event) => (
        (folded.now = !event.target.open), localStorage.setItem("practice", folded.now ? "off" : "on")
      ),
    },
    h("summary", { class: "label" }, t("practice")),
    h("p", {}, view.practice),
  );

function timer(view) {
  if (!view.timer) return null;
  const left = Math.max(0, Math.ceil(view.timer.seconds - (now() - Date.parse(view.timer.since)) / 1000));
  return h(
    "p",
    { class: `timer${left === 0 ? " over" : left <= 10 ? " short" : ""}`, key: "timer", role: "timer" },
    h("b", {}, left),
    " ",
    view.paused ? t("timer_paused") : t("timer_left"),
  );
}

/** A button that explains the game's words, where it has words of its own: `terms`, keys of the texts. */
export const wordsButton = (terms) =>
  terms?.length > 0 &&
  h("button", { type: "button", key: "words", class: "words", onclick: () => words(terms) }, t("words"));

/** The glossary sheet. */
const words = (terms) =>
  dialog.open(t("words"), () =>
    h(
      "dl",
      { class: "glossary" },
      terms.map((term) => [
        h("dt", { key: term }, t(`term_${term}`)),
        h("dd", { key: `${term}.` }, t(`means_${term}`)),
      ]),
    ),
  );

/** The latest things that happened; who logs in where is for the dealer's log. */
export function justNow(view) {
  const log = view.log || [];
  const lines = log
    .slice(log.findLastIndex((line) => line.kind === "start") + 1) // not of the game before
    .filter((line) => line.kind === "command" && line.source !== "table")
    .slice(-LINES)
    .reverse();
  return (
    lines.length > 0 &&
    h(
      "section",
      { class: "just-now", key: "now" },
      h("h2", { class: "label" }, t("just_now")),
      h(
        "ul",
        {},
        lines.map((line, i) => h("li", { key: `${line.seq}/${i}/${line.text}` }, unbroken(line.text))),
      ),
    )
  );
}

/** A camera that does not see the table. */
export function cameraLine(view) {
  const status = view.camera?.status || "none";
  if (status === "ok" || status === "none") return null;
  return h(
    "p",
    { class: `camera-state ${status}`, key: "camera" },
    h("i", { "aria-hidden": "true" }),
    ((status === "lost" || status === "poor") && view.camera.text) || t(`camera_${status}`),
  );
}

/** What the bank has won this evening, at other games too. */
const house = (view) => view.house_evening ?? view.house;

/** Everybody at a table with a house, and the bank. `mark(name)` says more about a player. */
export const people = (view, mark) => seats(view, mark, bank(view));

/** Everybody at a table without one. */
export function seats(view, mark = () => null, more = null) {
  return h(
    "footer",
    { class: "people", key: "people", "aria-label": t("players") },
    view.players.length === 0 && h("p", { class: "hint" }, t("no_players")),
    h(
      "ul",
      {},
      view.players.map((player) =>
        h(
          "li",
          { key: player.seat },
          seatBadge(player.seat),
          h("span", { class: "who" }, player.name),
          mark(player.name),
          h("b", { "data-place": `player/${player.name}` }, number(player.coins)),
          player.staked > 0 && h("small", {}, t("on_table", { count: number(player.staked) })),
          putAside(player),
        ),
      ),
    ),
    more,
  );
}

const bank = (view) =>
  h(
    "p",
    { class: "bank" },
    h(
      "span",
      { "data-place": "house" },
      t("house"),
      " ",
      h("b", { class: house(view) < 0 ? "minus" : "" }, number(house(view))),
    ),
    h("span", {}, t("staked"), " ", h("b", {}, number(view.staked))),
  );
