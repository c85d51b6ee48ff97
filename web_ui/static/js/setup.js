// The set-up wizard: one step after the other, each saved as it is finished. Leave at any time, and go on later.

import { announce, h } from "./dom.js";
import { t } from "./page.js";
import { camera, mat, stopLooking } from "./setup_camera.js";
import { game, loadEdges, refusedLimit, titleOf } from "./setup_game.js";
import { loadLimits } from "./setup_limits.js";
import { deck, finish, players, room } from "./setup_house.js";
import { panel, stopPanel } from "./setup_panel.js";
import { API, act, ask, complain, drawWith, local, pause, redraw } from "./setup_state.js";

const STEPS = ["game", "deck", "camera", "mat", "panel", "room", "players", "finish"];
const DRAW = { game, deck, camera, mat, panel, room, players, finish };
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

async function next() {
  if (!(await save())) return;
  const done = await act("done", () => ask("/done", { step: local.step }));
  if (!done) return;
  local.state.done = done.done;
  go(STEPS[Math.min(STEPS.indexOf(local.step) + 1, STEPS.length - 1)]);
}

function go(step) {
  if (step === local.step) return;
  stopLooking();
  stopPanel();
  local.step = step;
  local.error = null;
  history.replaceState(null, "", `#${step}`);
  redraw();
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
  const isDone = local.state.done.includes(step);
  return h(
    "button",
    {
      type: "button",
      key: step,
      class: isDone ? "is-done" : "",
      "aria-current": step === local.step ? "step" : null,
      onclick: () => go(step),
    },
    h("span", { class: "tick", "aria-hidden": "true" }, isDone ? "✓" : i + 1),
    t(`step_${step}`),
    isDone && h("span", { class: "quiet" }, t("set_done")),
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
    h(
      "div",
      { class: "nav-row", key: "nav" },
      local.step !== STEPS[0]
        ? h(
            "button",
            { type: "button", key: "back", onclick: () => go(STEPS[STEPS.indexOf(local.step) - 1]) },
            t("set_back"),
          )
        : h("span", {}),
      last ? h("a", { class: "button primary", href: "/dealer", key: "open" }, t("set_open")) : nextButton(),
    ),
  );
}

function nextButton() {
  const off = local.busy || refusedLimit() ? "true" : null;
  const props = { type: "button", key: "next", class: "primary", "aria-disabled": off, onclick: next };
  return h("button", props, t("set_next"));
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
  const first = STEPS.find((step) => !local.state.done.includes(step)) || "finish";
  local.step ||= STEPS.includes(wanted) ? wanted : first;
  redraw();
  loadEdges();
  loadLimits();
}

drawWith(draw);
addEventListener("hashchange", () => STEPS.includes(location.hash.slice(1)) && go(location.hash.slice(1)));
redraw();
refresh();
