// How the camera looks at the tray: a die is laid there, and what lies on top is tapped, picture by picture.

import { announce, h } from "./dom.js";
import {
  act,
  ask,
  cameraSees,
  faceName,
  kindChoice,
  local,
  page,
  progress,
  redraw,
  start,
  twice,
} from "./enrolling.js";
import { data, t } from "./page.js";

const STRAIGHT_DEG = 4; // less is said to be straight down
let kind = Object.keys(data.kinds)[0];
let typed = null; // of the angle of view, until it is kept

async function take(face) {
  const taken = await act(`take-${face}`, () => ask("/take", { face }));
  const it = taken?.enrollment;
  if (!it) return;
  if (local.seen) Object.assign(local.seen, { told: face }); // until it is looked at anew: a second tap tells nothing
  redraw();
  const said = [t("axis_taken", { face: faceName(face), done: it.told.length, all: it.asked }), it.found, it.trouble];
  announce(said.filter(Boolean).join(" "));
}

/** What changes the configuration, and what is said then. */
const set = (name, said) => async () => {
  if (await act(name, () => ask(`/${name}`))) local.done = t(said);
  redraw();
};
const keep = set("keep", "axis_kept");
const straight = set("straight", "axis_kept");
const clear = set("clear", "axis_cleared");

/** What is no number goes as it is, for the server to refuse: nothing else than an empty field takes the angle out. */
async function keepView(state) {
  const text = (typed ?? viewOf(state)).trim();
  const view = text === "" ? null : /^\d{1,9}$/.test(text) ? Number(text) : text;
  if (await act("view", () => ask("/view", { view }))) {
    const isFound = state.now.source === "told" && view !== state.now.view;
    local.done = `${t("axis_view_kept")} ${isFound ? t("axis_view_anew") : ""}`;
    typed = null;
  }
  redraw();
}

/** The camera was moved: what it saw before tells nothing. */
async function anew(it) {
  if (await act("cancel", () => ask("/cancel"))) await act("begin", () => ask("", { kind: it.kind }));
}

// ---- what the page shows

const draw = () =>
  page(
    "title_axis",
    "enroll_no_dice",
    (state) => [
      taughtBefore(state),
      state.enrollment ? telling(state.enrollment, state) : [now(state), view(state), begin(state)],
    ],
    h("a", { class: "button", key: "dice", href: "/setup/dice" }, t("title_enroll")),
  );

/** Dice that were taught look different once the axis is another. */
const taughtBefore = ({ enrolled }) =>
  local.done &&
  enrolled.length > 0 &&
  h(
    "p",
    { class: "panel", key: "taught" },
    t("axis_enrolled", { dice: enrolled.join(", "), count: enrolled.length }),
    " ",
    h("a", { href: "/setup/dice" }, t("title_enroll")),
  );

const now = (state) =>
  h(
    "section",
    { class: "panel", key: "now", "aria-labelledby": "now-title" },
    h("h2", { id: "now-title" }, t("axis_now")),
    h("p", { class: "axis-now" }, state.now.text, " ", state.now.view_text),
    ["none", "demo"].includes(state.now.source) && h("p", { class: "hint" }, t(`axis_by_${state.now.source}`)),
    state.now.source === "none" && [
      h("p", { key: "above" }, t("axis_straight_hint")),
      h(
        "p",
        { class: "row", key: "straight" },
        twice("straight", t("axis_straight"), t("axis_straight_sure"), straight),
      ),
    ],
    state.now.source === "told" &&
      h("p", { class: "row" }, twice("clear", t("axis_clear"), t("axis_clear_sure"), clear)),
  );

const viewOf = ({ now }) => (now.view === null ? "" : String(Math.round(now.view)));

/** The angle of view is the camera's own: where the demo's is drawn, nothing is written. */
const view = (state) =>
  state.now.source !== "demo" &&
  h(
    "form",
    { class: "panel", key: "view", onsubmit: (event) => (event.preventDefault(), keepView(state)) },
    h("h2", {}, t("axis_view")),
    h("p", { id: "view-hint" }, t("axis_view_hint")),
    h(
      "label",
      { class: "field" },
      t("axis_view_field", { least: state.views[0], most: state.views[1] }),
      h("input", {
        name: "view",
        inputmode: "numeric",
        maxlength: 5,
        autocomplete: "off",
        value: typed ?? viewOf(state),
        "aria-describedby": "view-hint view-empty",
        oninput: (event) => (typed = event.target.value),
      }),
    ),
    h("p", { class: "hint", id: "view-empty" }, t("axis_view_empty")),
    h(
      "p",
      { class: "row" },
      h("button", { type: "submit", "aria-disabled": local.busy ? "true" : null }, t("axis_view_keep")),
    ),
  );

const begin = (state) =>
  h(
    "form",
    {
      class: "panel begin",
      key: "begin",
      onsubmit: (event) => (event.preventDefault(), act("begin", () => ask("", { kind }))),
    },
    h("h2", {}, t("axis_begin")),
    h("p", {}, t("axis_begin_hint")),
    state.can_tell
      ? [
          kindChoice(t("axis_kind"), kind, (one) => (kind = one)),
          h(
            "button",
            { type: "submit", key: "start", class: "primary", "aria-disabled": local.busy ? "true" : null },
            t("enroll_start"),
          ),
        ]
      : h("p", { class: "error", key: "no-tray" }, t("axis_no_tray")),
  );

function telling(it, state) {
  const done = it.told.length;
  const isEnough = done >= it.asked;
  return h(
    "section",
    { class: "panel axis", key: "open" },
    h("h2", {}, data.kinds[it.kind]),
    !isEnough && h("p", { key: "how" }, t("axis_how"), " ", data.throws_die && t("enroll_pause")),
    progress(done, it.asked, t("axis_progress"), t("axis_count", { done, all: it.asked })),
    h(
      "div",
      { class: "two", key: "two" },
      isEnough ? shot(it) : cameraSees(fits()),
      h("div", { class: "work", key: "work" }, isEnough ? result(it, state) : grid(it)),
      toldList(it),
    ),
    h(
      "div",
      { class: "nav-row", key: "nav" },
      twice("cancel", t("enroll_cancel"), t("enroll_cancel_sure"), () => act("cancel", () => ask("/cancel"))),
    ),
  );
}

function fits() {
  if (local.busy?.startsWith("take-")) return t("axis_taking");
  return local.seen?.told ? t("axis_turn", { face: faceName(local.seen.told) }) : t("axis_fit");
}

/** The picture alone, nothing is to be shown any more; and where the camera stands, by eighths of a circle. */
function shot({ setting }) {
  const side = setting && setting[0] >= STRAIGHT_DEG ? Math.round(setting[1] / 45) % 8 : null;
  return h(
    "section",
    { class: "now", key: "now", "aria-label": t("enroll_now") },
    local.seen && h("img", { class: "shot", key: "shot", src: local.seen.picture, alt: t("enroll_now") }),
    side !== null &&
      h(
        "svg",
        { class: `stand at-${side}`, key: "stand", viewBox: "0 0 24 24", "aria-hidden": "true" },
        h("path", { d: "M3 7h4l2-3h6l2 3h4v12H3z" }),
        h("circle", { cx: 12, cy: 12.5, r: 3.6 }),
      ),
  );
}

/** The faces, each with what tells it apart besides its colour. */
function grid(it) {
  const { seen } = local;
  const off = local.busy || !seen || Boolean(seen.trouble || seen.told);
  const shape = it.faces.some(isHalf) ? " halves" : it.faces.length === 6 ? " sixes" : "";
  return h(
    "section",
    { class: `faces${shape}`, key: "faces", "aria-labelledby": "faces-title" },
    h("h3", { id: "faces-title" }, t("enroll_tap")),
    h(
      "ul",
      {},
      it.faces.map((face) =>
        h(
          "li",
          { key: face },
          h(
            "button",
            {
              type: "button",
              class: "face",
              "aria-label": t("axis_face", { face: faceName(face) }),
              "aria-disabled": off ? "true" : null,
              onclick: () => !off && take(face),
            },
            isHalf(face)
              ? [h("b", { key: "n" }, face[0], halfSign(face)), h("small", { key: "half" }, t(halfKey(face)))]
              : h("b", { key: "n" }, face),
          ),
        ),
      ),
    ),
    it.faces.includes("9") && h("p", { class: "hint" }, t("enroll_turn")),
  );
}

const isHalf = (face) => /[dn]$/.test(face);
const halfKey = (face) => (face.endsWith("d") ? "by_day" : "by_night");
const halfSign = (face) =>
  h(
    "svg",
    { class: "half-sign", viewBox: "-1 -1 2 2", "aria-hidden": "true" },
    h("use", { href: face.endsWith("d") ? "#half-day" : "#half-night", x: -1, y: -1, width: 2, height: 2 }),
  );

/** What was told, each picture with a way back. */
const toldList = (it) =>
  it.told.length > 0 &&
  h(
    "section",
    { class: "told", key: "told", "aria-labelledby": "told-title" },
    h("h3", { id: "told-title" }, t("axis_told")),
    h(
      "ul",
      {},
      it.told.map(({ number, face, picture, fits }) =>
        h(
          "li",
          { key: number, class: fits ? "" : "is-misfit" },
          h("img", { src: picture, alt: "" }),
          h("span", {}, h("b", {}, faceName(face)), !fits && h("small", {}, "✗ ", t("axis_misfit"))),
          h(
            "button",
            {
              type: "button",
              "aria-label": t("axis_undo_what", { face: faceName(face) }),
              "aria-disabled": local.busy ? "true" : null,
              onclick: () => act(`undo-${number}`, () => ask("/undo", { number })),
            },
            t("enroll_undo"),
          ),
        ),
      ),
    ),
  );

/** How the camera looks, or why that is not known. */
function result(it, state) {
  const isDrawn = state.now.source === "demo";
  if (!it.setting)
    return h(
      "section",
      { class: "found", key: "result" },
      h("p", { class: "error", key: "trouble" }, it.trouble),
      h("p", { key: "mend" }, t(it.told.every(({ fits }) => fits) ? "axis_mend_camera" : "axis_mend_face")),
      h(
        "button",
        { type: "button", key: "anew", "aria-disabled": local.busy ? "true" : null, onclick: () => anew(it) },
        t("axis_anew"),
      ),
    );
  const off = local.busy || isDrawn ? "true" : null;
  return h(
    "section",
    { class: "found", key: "result", "aria-labelledby": "found-title" },
    h("h3", { id: "found-title" }, t("axis_found")),
    h("p", { class: "axis-now", key: "words" }, it.found),
    h("p", { class: "hint", key: "hint" }, t(isDrawn ? "axis_by_demo" : "axis_found_hint")),
    h(
      "button",
      { type: "button", key: "keep", class: "primary", "aria-disabled": off, onclick: () => !off && keep() },
      t("axis_keep"),
    ),
  );
}

start(draw);
