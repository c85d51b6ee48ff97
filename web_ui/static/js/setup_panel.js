// Set-up: every light of the panel blinks and is asked about, then every button is asked for.

import { h } from "./dom.js";
import { has, t } from "./page.js";
import { act, ask, local, redraw } from "./setup_state.js";

const POLL_MS = 400;

// What was answered so far: line or button → true, false.
let results = {};
let place = null;
let timer = 0;
let round = 0; // counts what is asked: an answer that comes late belongs to an earlier one

/** What was seen, heard and pressed: line or button → whether it works. */
export const panelResults = () => results;

export function panel() {
  const state = local.state.panel;
  if (!state) return h("p", { class: "panel", key: "none" }, t("panel_none"));
  const parts = [...state.lines, ...state.buttons.map((button) => `button/${button}`)];
  return [
    state.troubles.map((text) => h("p", { class: "error", key: text }, text)),
    place === null ? begin() : asked(parts[place]),
    h(
      "ul",
      { class: "parts", key: "parts" },
      parts.map((part) =>
        h(
          "li",
          { key: part, class: part in results ? (results[part] ? "ok" : "bad") : "" },
          partName(part),
          part in results && h("span", { class: "quiet" }, t(results[part] ? "panel_ok" : "panel_bad")),
        ),
      ),
    ),
  ];
}

const begin = () =>
  h(
    "div",
    { class: "row", key: "begin" },
    h(
      "button",
      { type: "button", class: "primary", onclick: start },
      Object.keys(results).length ? t("panel_again") : t("panel_begin"),
    ),
    Object.keys(results).length > 0 &&
      h("p", { role: "status" }, Object.values(results).every(Boolean) ? t("panel_all_ok") : t("panel_some_bad")),
  );

function partName(part) {
  const [kind, name] = part.split("/");
  if (kind === "buzzer") return t("part_buzzer");
  const word =
    kind === "suit"
      ? t(`suit_${name}`)
      : kind === "status"
        ? t(`part_${name}`)
        : has(`part_${name}`)
          ? t(`part_${name}`)
          : name.toUpperCase();
  return t(`part_${kind}`, { name: word });
}

function asked(part) {
  const isButton = part.startsWith("button/");
  const off = local.busy ? "true" : null; // the light that is asked about is not lit yet
  const say = (isGood) => off || answer(part, isGood);
  return h(
    "section",
    { class: "panel asked", key: "asked", role: "status" },
    h(
      "p",
      { class: "big" },
      isButton
        ? t("panel_press", { part: partName(part) })
        : t(part === "buzzer" ? "panel_hear" : "panel_see", { part: partName(part) }),
    ),
    h(
      "div",
      { class: "row" },
      !isButton &&
        h(
          "button",
          { type: "button", key: "yes", class: "primary", "aria-disabled": off, onclick: () => say(true) },
          t("yes"),
        ),
      h(
        "button",
        { type: "button", key: "no", "aria-disabled": off, onclick: () => say(false) },
        t(isButton ? "panel_nothing" : "panel_no"),
      ),
      h("button", { type: "button", key: "stop", onclick: stopPanel }, t("panel_stop")),
    ),
  );
}

async function start() {
  results = {};
  place = 0;
  await go();
}

async function go() {
  const parts = all();
  if (place >= parts.length) return stopPanel();
  const part = parts[place];
  const state = await act("panel", () => ask("/panel", { line: part.startsWith("button/") ? null : part }));
  if (!state) return stopPanel();
  local.state.panel = state;
  clearTimeout(timer);
  round += 1;
  timer = setTimeout(poll, POLL_MS, round);
  redraw();
}

const all = () => [...local.state.panel.lines, ...local.state.panel.buttons.map((button) => `button/${button}`)];

function answer(part, isGood) {
  results[part] = isGood;
  round += 1;
  place += 1;
  go();
}

// Asking keeps the test alive, and hears of the buttons.
async function poll(mine) {
  if (place === null || mine !== round) return;
  const part = all()[place];
  const state = await ask("/panel", { line: part.startsWith("button/") ? null : part }).catch(() => null);
  if (place === null || mine !== round) return;
  if (state) local.state.panel = state;
  if (part.startsWith("button/") && state?.pressed.includes(part.slice(7)) && !local.busy) return answer(part, true);
  timer = setTimeout(poll, POLL_MS, mine);
}

/** The test ends; lights and buttons are the table's again. */
export function stopPanel() {
  clearTimeout(timer);
  if (place === null) return;
  place = null;
  ask("/panel", { test: false }).catch(() => null);
  redraw();
}
