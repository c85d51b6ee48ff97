// A tournament: the level's clock, who is left and what is played for; for the dealer what is done between hands.

import * as dialog from "../../js/dialog.js";
import { h } from "../../js/dom.js";
import { now } from "../../js/live.js";
import { number, t } from "../../js/page.js";
import { keyHint } from "../../js/pieces.js";

const TICK_MS = 500;
let runs = false;
const picked = { race: null, names: new Set() };

/** Draw again while the clock runs. */
export const ticking = (redraw) => setInterval(() => runs && redraw(), TICK_MS);

/** Seconds that are left of the level, which goes on evenly when the table's clock is set. */
function left({ tournament, clock_set = 0 }) {
  const { seconds, used, since } = tournament.clock;
  const passed = since ? (now() - Date.parse(since)) / 1000 - clock_set : 0;
  return Math.max(0, Math.ceil(seconds - used - Math.max(passed, 0)));
}

const time = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

const blindsOf = (level, { big_blind_ante }) =>
  [
    level.blinds.map(number).join("/"),
    level.ante > 0 && t(big_blind_ante ? "big_blind_ante_of" : "ante_of", { coins: number(level.ante) }),
  ].filter(Boolean);

function then(tour) {
  const { following } = tour;
  if (!following) return t("last_level");
  if (!following.blinds) return t("then_break", { n: following.minutes });
  return t("then_level", { blinds: blindsOf(following, tour).join(" · ") });
}

/** The clock, large on the room's screen: level, time, blinds, and what comes next. Null at a cash game. */
export function levelClock(view) {
  const tour = view.tournament;
  runs = Boolean(tour?.clock.runs);
  if (!tour || view.phase === "over") return null;
  const seconds = left(view);
  const state = `${seconds ? "" : " up"}${runs ? "" : " paused"}`;
  return h(
    "section",
    { class: `level-clock${state}`, key: "clock", "aria-label": t("clock") },
    h("p", { class: "label" }, tour.level.blinds ? t("level_n", { n: tour.level.level }) : t("phase_break")),
    h("p", { class: "time", role: "timer" }, time(seconds), !runs && h("span", { class: "tag" }, t("clock_paused"))),
    tour.level.blinds &&
      h(
        "p",
        { class: "now" },
        blindsOf(tour.level, tour).map((text) => h("span", { key: text }, text)),
      ),
    h("p", { class: "then" }, then(tour)),
  );
}

/** The same in a line. */
export function clockLine(view) {
  const tour = view.tournament;
  runs = Boolean(tour?.clock.runs);
  if (!tour || view.phase === "over") return null;
  const level = tour.level.blinds ? t("level_n", { n: tour.level.level }) : t("phase_break");
  const blinds = tour.level.blinds ? blindsOf(tour.level, tour) : [];
  return [level, time(left(view)), ...blinds, !runs && t("clock_paused")].filter(Boolean).join(" · ");
}

/** Who is left, the average stack, the prizes; once it is decided everybody's place. */
export function standing(view) {
  const tour = view.tournament;
  if (!tour) return null;
  if (tour.places.length > 0) return places(tour);
  const facts = [
    ["players_left", t("n_of", { n: tour.left, all: tour.entrants })],
    ["average_stack", number(tour.average)],
    ["all_coins", number(tour.pool)],
    tour.rebuys_open && ["rebuys_open", t("until_level", { n: tour.rebuy_until })],
  ];
  return h(
    "section",
    { class: "standing", key: "standing" },
    tour.has_begun &&
      h(
        "dl",
        { key: "facts" },
        facts.filter(Boolean).map(([key, text]) => [h("dt", { key }, t(key)), h("dd", { key: `${key}.` }, text)]),
      ),
    h("p", { class: "label", key: "prizes-label", "aria-hidden": "true" }, t("prizes")),
    h(
      "ol",
      { class: "prizes", key: "prizes", "aria-label": t("prizes") },
      (tour.has_begun ? tour.prizes.map(number) : tour.shares.map((share) => `${share} %`)).map((prize, i) =>
        h("li", { key: i }, h("b", {}, `${i + 1}.`), " ", prize),
      ),
    ),
  );
}

const places = (tour) =>
  h(
    "ol",
    { class: "standing places", key: "places", "aria-label": t("places") },
    tour.places.map((one) =>
      h(
        "li",
        { key: one.player },
        h("b", {}, `${one.place}.`),
        " ",
        h("span", { class: "who" }, one.player),
        " ",
        one.coins > 0 && h("b", { class: "prize" }, number(one.coins)),
      ),
    ),
  );

/** What a player without coins is to know: whether they may come in again; null for everybody else. */
export function outOfCoins(view, me) {
  const tour = view.tournament;
  if (!tour || me.coins > 0 || view.in_hand.some((one) => one.player === me.name && !one.folded)) return null;
  return tour.may_come_in.includes(me.name) ? t("my_rebuy", { coins: number(tour.stack) }) : t("my_out");
}

// ---- the dealer

/** Start or pause the clock, go to the next level. */
export function clockButtons(view, { button, can, order }) {
  if (!view.tournament) return null;
  const clock = can(view, "pause-clock") ? "pause-clock" : "start-clock";
  return [
    can(view, clock) && button(clock, t(`do_${clock}`), () => order({ do: clock })),
    view.phase === "ready" &&
      can(view, "next-level") &&
      button("next-level", t("do_next-level"), () => order({ do: "next-level" })),
  ];
}

/** What may be bought now: {verb, key: with which it is typed after the seat, players: who may, label(player)}. */
export function purchases(view) {
  const { tournament: tour } = view;
  const sold = (verb, key, players, coins) => ({
    verb,
    key,
    players: view.expected.includes(verb) ? players : [],
    label: (player) => t(`do_${verb}_for`, { player, coins: number(coins) }),
  });
  return tour ? [sold("rebuy", "R", tour.may_come_in, tour.stack), sold("add-on", "A", tour.may_add, tour.add_on)] : [];
}

/** Who comes in again, who has an add-on, the chip race, and the end. */
export function management(view, its) {
  const { tournament: tour } = view;
  const { button, can, order } = its;
  const seatOf = (name) => view.players.find((one) => one.name === name)?.seat;
  const offered = ({ verb, key, players, label }) =>
    players.length > 0 &&
    h(
      "ul",
      { class: "bare", key: verb },
      players.map((player) =>
        h(
          "li",
          { key: player },
          button(`${verb}-${player}`, [label(player), keyHint(`${seatOf(player)} ${key}`)], () =>
            order({ do: verb, player }, `${verb}-${player}`),
          ),
        ),
      ),
    );
  return h(
    "div",
    { class: "tournament-tab", key: "tournament" },
    tour.race && race(tour.race, its),
    purchases(view).map(offered),
    standing(view),
    can(view, "close-rebuys") && button("close-rebuys", t("do_close-rebuys"), () => order({ do: "close-rebuys" })),
    can(view, "call-off") && button("call-off", t("do_call-off"), () => askCallOff(order)),
  );
}

const askCallOff = (order) =>
  dialog.open(t("do_call-off"), () => [
    h("p", {}, t("call_off_hint")),
    h(
      "button",
      { type: "button", class: "primary", onclick: () => (dialog.close(), order({ do: "call-off" })) },
      t("do_call-off"),
    ),
  ]);

/** Tap who won a chip; as many as there are chips. */
function race(its, { button, order, redraw }) {
  const key = JSON.stringify(its);
  if (picked.race !== key) [picked.race, picked.names] = [key, new Set()];
  const { names } = picked;
  const toggle = (name) => (names.has(name) ? names.delete(name) : names.size < its.chips && names.add(name), redraw());
  return h(
    "section",
    { class: "chip-race", key: "race" },
    h("h2", { class: "label" }, t("race_for", { n: its.chips, chip: number(its.chip) })),
    h("p", { class: "hint" }, t("race_hint")),
    h(
      "ul",
      { class: "bare" },
      Object.entries(its.odd).map(([name, odd]) =>
        h(
          "li",
          { key: name },
          h(
            "button",
            { type: "button", class: "racer", "aria-pressed": String(names.has(name)), onclick: () => toggle(name) },
            t("race_odd", { player: name, coins: number(odd) }),
          ),
        ),
      ),
    ),
    button(
      "chip-race",
      t("do_chip-race"),
      () => order({ do: "chip-race", winners: [...names] }),
      names.size < its.chips && t("race_more", { n: its.chips - names.size }),
      null,
      "primary",
    ),
  );
}
