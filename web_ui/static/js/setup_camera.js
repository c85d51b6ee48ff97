// Set-up: which camera, how well it sees, and where the printed mat lies.

import { h } from "./dom.js";
import { meter } from "./meter.js";
import { data, t } from "./page.js";
import { act, ask, local, redraw, set, value } from "./setup_state.js";

const EVERY_MS = 900;
const METERS = [
  { key: "px_per_mm", full: 4, unit: "px/mm" },
  { key: "edge_px", full: 6, unit: "px" },
  { key: "glare_percent", full: 20, unit: "%" },
  { key: "flicker_percent", full: 20, unit: "%" },
];

let seen = null;
let trouble = null;
let timer = 0;
let visits = 0;
let visit = 0; // of the step that is open; 0: none
let found = null;
let shown = null;

export function camera() {
  const source = value("camera.source");
  keepLooking();
  const known = local.state.cameras.map((one) => one.source);
  return [
    h(
      "fieldset",
      { class: "choices", key: "sources" },
      h("legend", {}, t("key_camera_source")),
      local.state.cameras.map((one) =>
        h(
          "label",
          { class: "choice", key: one.name },
          h("input", {
            type: "radio",
            name: "camera",
            checked: source === one.source,
            onchange: () => choose(one.source),
          }),
          h("b", {}, ["auto", "demo", "picamera"].includes(one.name) ? t(`cam_${one.name}`) : one.name),
        ),
      ),
    ),
    h(
      "div",
      { class: "fields source", key: "other" },
      h(
        "label",
        {},
        t("cam_other"),
        h("input", {
          type: "text",
          value: known.includes(source) ? "" : source,
          placeholder: "rtsp://…, /dev/video2",
          spellcheck: "false",
          autocapitalize: "off",
          onchange: (event) => event.target.value.trim() && choose(event.target.value.trim()),
        }),
      ),
    ),
    picture(),
    data.dice.includes(value("table.game")) &&
      h(
        "p",
        { class: "row", key: "axis" },
        t("axis_hint"),
        h("a", { class: "button", href: "/setup/axis" }, t("axis_link")),
      ),
  ];
}

function choose(source) {
  seen = null;
  trouble = null;
  set("camera.source", source);
}

function picture() {
  return h(
    "div",
    { class: "look", key: "look" },
    seen
      ? h("img", { class: "shot", key: "shot", src: seen.picture, alt: t("camera_view") })
      : h(
          "p",
          { class: `no-shot${trouble ? " error" : ""}`, key: "none", role: trouble ? "alert" : null },
          trouble || t("camera_waiting"),
        ),
    seen &&
      h(
        "ul",
        { class: "meters", key: "meters" },
        METERS.map((what) => one(what, seen[what.key])),
        seen.tags === 0 && h("li", { key: "no-tags", class: "hint" }, t("meter_no_tags")),
      ),
  );
}

function one({ key, full, unit }, reading) {
  if (reading == null) return null;
  const grade = seen.grades[key];
  const said = `${reading.toLocaleString(document.documentElement.lang)} ${unit}`;
  return meter(key, grade, said, reading, full, grade === "poor" && h("span", { class: "hint" }, t(`mend_${key}`)));
}

/** One look at a time, while the step is open. */
function keepLooking() {
  if (visit) return;
  visits += 1;
  visit = visits;
  look(visit);
}

async function look(mine) {
  const source = value("camera.source");
  if (!document.hidden) {
    try {
      const shown = await ask("/camera", { source });
      if (source === value("camera.source")) [seen, trouble] = [shown, null];
    } catch (error) {
      if (source === value("camera.source")) [seen, trouble] = [null, error.message];
    }
  }
  if (mine !== visit) return;
  redraw();
  timer = setTimeout(look, EVERY_MS, mine);
}

/** The step is left. */
export function stopLooking() {
  clearTimeout(timer);
  visit = 0;
  found = null;
  shown = null;
}

// ---- one card

export function card() {
  keepLooking();
  const isLooking = local.busy === "card";
  return [
    h(
      "div",
      { class: "row", key: "show" },
      h(
        "button",
        { type: "button", class: "primary", "aria-disabled": local.busy ? "true" : null, onclick: showCard },
        t(isLooking ? "card_looking" : "card_show"),
      ),
    ),
    shown && cardRead(),
    shown?.picture && !isLooking
      ? h("img", { class: "shot", key: "card", src: shown.picture, alt: t("camera_view") })
      : picture(),
  ];
}

async function showCard() {
  shown = null;
  shown = (await act("card", () => ask("/card", {}))) || null;
  local.tried = shown && "card";
  redraw();
}

const cardRead = () =>
  h(
    "p",
    { class: `big card-read ${shown.status === "ok" || shown.is_own ? "pass" : "fail"}`, key: "read", role: "status" },
    shown.text,
  );

// ---- the mat

export function mat() {
  keepLooking();
  const played = value("table.game");
  const name = data.mats[`${value("table.layout")}-${played}`] ?? data.mats[played];
  return [
    h(
      "div",
      { class: "row", key: "print" },
      name &&
        ["a4", "letter"].map((paper) =>
          h(
            "a",
            {
              class: "button",
              key: paper,
              href: `/api/v1/setup/sheets/mat.pdf?game=${name}&paper=${paper}`,
              download: "",
            },
            t("mat_print", { paper: paper === "a4" ? "A4" : "Letter" }),
          ),
        ),
      h(
        "button",
        { type: "button", class: "primary", key: "find", "aria-disabled": local.busy ? "true" : null, onclick: find },
        local.busy === "mat" ? t("mat_looking") : t("mat_find"),
      ),
    ),
    found && verdict(),
    picture(),
  ];
}

async function find() {
  found = (await act("mat", () => ask("/mat", {}))) || null;
  local.tried = found && "mat";
  redraw();
}

function verdict() {
  return h(
    "section",
    { class: `panel verdict ${found.ok ? "pass" : "fail"}`, key: "verdict", role: "status" },
    h("h3", {}, found.ok ? t("mat_pass", { mat: found.mat }) : t("mat_fail")),
    found.px_per_mm !== undefined &&
      h(
        "p",
        {},
        t("mat_figures", {
          scale: found.px_per_mm,
          module: found.px_per_module,
          error: found.error_px,
          shake: found.shake_px,
        }),
      ),
    found.troubles.map((text) => h("p", { key: text }, text)),
    found.ok && h("p", { class: "hint" }, t("mat_stored")),
  );
}
