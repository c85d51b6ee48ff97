// The set-up wizard: one step after the other, each saved as it is finished. Leave at any time, and go on later.

import { announce, h } from "./dom.js";
import { t } from "./page.js";
import { camera, card, mat, stopLooking } from "./setup_camera.js";
import { game, loadEdges, refusedLimit, titleOf } from "./setup_game.js";
import { loadLimits } from "./setup_limits.js";
import { deck, finish, players, room } from "./setup_house.js";
import { panel, panelResults, stopPanel } from "./setup_panel.js";
import { API, act, ask, complain, drawWith, local, pause, redraw, verdictOf } from "./setup_state.js";

const STEPS = ["game", "deck", "camera", "mat", "card", "panel", "room", "players", "finish"];
const DRAW = { game, deck, camera, mat, card, panel, room, players, finish: () => finish(STEPS.slice(0, -1), go) };
const NEEDED = ["game"]; // what cannot be skipped
const SIGNS = { passed: "✓", skipped: "–", "not-good": "!" };
const RESTART_MS = 180000;
const POLL_MS = 700;

/** Write what was changed. Returns whether it could be. */
export async function save() {
  const why = refusedLimit();
  if (why) {
    complain(why);
    return false;
  }
  const changes = Object.fromEntries(
    Object.entries(local.form).filter(([key, to]) => to !== local.state.settings.values[key]),
  );
  if (Object.keys(changes).length === 0) return true;
  const saved = await act("save", () => ask("/settings", { changes }));
  if (!saved) return false;
  local.state.settings = saved;
  for (const key in changes) if (local.form[key] === changes[key]) delete local.form[key]; // else typed on meanwhile
  announce(t("set_saved"));
  return true;
}

/** Verify the step; go on if it passed, else say what is wrong. */
async function next() {
  const { step } = local;
  if (!(await save()) || !(await mark(step, { results: panelResults() }))) return;
  if (verdictOf(step).status !== "not-good") goOn(step);
}

async function skip() {
  const { step } = local;
  if (await mark(step, { skip: true })) goOn(step);
}

/** Open the step after this one; whoever has opened another one meanwhile stays there. */
const goOn = (step) => step === local.step && go(STEPS[Math.min(STEPS.indexOf(step) + 1, STEPS.length - 1)]);

/** Have a step verified, or skipped. Returns whether the house could. */
async function mark(step, how) {
  const told = await act("done", () => ask("/done", { step, ...how }));
  if (!told) return false;
  local.state.steps = told.steps;
  local.tried = null;
  announce(t(`set_${verdictOf(step).status}`));
  redraw();
  return true;
}

/** At the end the settings are written, and the page shows what the file says then. */
async function writeAll() {
  if (!(await mark("finish", {}))) return;
  const answer = await fetch(API, { cache: "no-store" }).catch(() => null);
  if (answer?.ok) local.state = await answer.json();
  redraw();
}

function go(step) {
  if (step === local.step) return;
  stopLooking();
  stopPanel();
  local.step = step;
  local.error = null;
  history.replaceState(null, "", `#${step}`);
  redraw();
  if (step === STEPS.at(-1)) writeAll();
  document.getElementById("step-title")?.focus();
  scrollTo(0, 0);
}

// ---- what the page shows

function draw() {
  if (!local.state) return h("p", { class: "notice" }, local.error || t("connecting"));
  return [
    h(
      "div",
      { class: "wizard", key: "wizard" },
      h("h1", {}, t("title_setup")),
      h("nav", { class: "steps", "aria-label": t("set_steps"), key: "steps" }, STEPS.map(stepButton)),
      h("div", { class: "work", key: "work" }, waiting(), body()),
    ),
    local.over && h("div", { class: "over", key: "over", role: "alert" }, h("p", {}, local.over)),
  ];
}

function stepButton(step, i) {
  const status = step === STEPS.at(-1) ? null : verdictOf(step)?.status;
  return h(
    "button",
    {
      type: "button",
      key: step,
      class: status ? `is-${status}` : "",
      "aria-current": step === local.step ? "step" : null,
      onclick: () => go(step),
    },
    h("span", { class: "tick", "aria-hidden": "true" }, SIGNS[status] ?? i + 1),
    h("span", {}, t(`step_${step}`), status && h("small", {}, " ", t(`set_${status}`))),
  );
}

function body() {
  const last = local.step === STEPS.at(-1);
  return h(
    "section",
    { class: "panel step-body", key: `body-${local.step}`, "aria-labelledby": "step-title" },
    h("h2", { id: "step-title", tabindex: "-1" }, t(`step_${local.step}`)),
    h("p", { class: "hint", key: "hint" }, t(`hint_${local.step}`)),
    local.error && h("p", { class: "error", role: "alert", key: "error" }, local.error),
    DRAW[local.step](),
    !last && verdict(),
    h("div", { class: "nav-row", key: "nav" }, backButton(), last ? openButton() : [skipButton(), nextButton()]),
  );
}

/** What was found when the step was verified. */
function verdict() {
  const found = verdictOf(local.step);
  const isOld = local.tried === local.step || Object.keys(local.form).length > 0; // what was found before
  if (!found || isOld || local.busy === "done") return null;
  return h(
    "section",
    { class: `panel verdict ${found.status}`, key: "found", role: "status" },
    h("h3", {}, h("span", { "aria-hidden": "true" }, SIGNS[found.status], " "), t(`set_${found.status}`)),
    found.why.map((text) => h("p", { key: text }, text)),
  );
}

const backButton = () =>
  local.step === STEPS[0]
    ? h("span", {})
    : h(
        "button",
        { type: "button", key: "back", onclick: () => go(STEPS[STEPS.indexOf(local.step) - 1]) },
        t("set_back"),
      );

const openButton = () => h("a", { class: "button primary", href: "/dealer", key: "open" }, t("set_open"));

/** Leave the step as it is; what was found not good stays so. */
const skipButton = () =>
  !NEEDED.includes(local.step) &&
  h(
    "button",
    { type: "button", key: "skip", class: "skip-step", "aria-disabled": local.busy ? "true" : null, onclick: leave },
    t(verdictOf(local.step)?.status === "not-good" ? "set_leave" : "set_skip"),
  );

const leave = () => (verdictOf(local.step)?.status === "not-good" ? goOn(local.step) : skip());

function nextButton() {
  const off = local.busy || refusedLimit() ? "true" : null;
  const props = { type: "button", key: "next", class: "primary", "aria-disabled": off, onclick: next };
  return h("button", props, t(local.busy === "done" ? "set_checking" : "set_next"));
}

function waiting() {
  const keys = local.state.settings.waiting;
  if (keys.length === 0) return null;
  return h(
    "section",
    { class: "panel waiting", key: "waiting", role: "status" },
    h("p", {}, h("strong", {}, t("set_waiting")), " ", keys.map(titleOf).join(", ")),
    h(
      "button",
      { type: "button", class: "primary", "aria-disabled": local.busy ? "true" : null, onclick: restart },
      t("set_restart"),
    ),
  );
}

async function restart() {
  if (!(await save())) return;
  const before = await boot();
  const asked = await act("restart", () => ask("/restart", {}));
  if (!asked) return;
  local.over = t("set_restarting");
  redraw();
  const ends = Date.now() + RESTART_MS;
  while (Date.now() < ends) {
    const now = await boot();
    if (now && now !== before) return location.reload();
    await pause(POLL_MS);
  }
  local.over = t("set_no_restart");
  redraw();
}

/** Which start of the table this is; null while it does not answer. */
async function boot() {
  const answer = await fetch("/readyz", { cache: "no-store" }).catch(() => null);
  return answer?.ok ? (await answer.json().catch(() => null))?.boot : null;
}

/** Ask anew how everything stands. */
export async function refresh() {
  const answer = await fetch(API, { cache: "no-store" }).catch(() => null);
  if (!answer?.ok) {
    local.error = (await answer?.json().catch(() => null))?.message || t("no_network");
    return redraw();
  }
  local.state = await answer.json();
  const wanted = location.hash.slice(1);
  const first = STEPS.find((step) => !verdictOf(step)) || "finish";
  local.step ||= STEPS.includes(wanted) ? wanted : first;
  redraw();
  if (local.step === STEPS.at(-1)) writeAll();
  loadEdges();
  loadLimits();
}

drawWith(draw);
addEventListener("hashchange", () => STEPS.includes(location.hash.slice(1)) && go(location.hash.slice(1)));
redraw();
refresh();
