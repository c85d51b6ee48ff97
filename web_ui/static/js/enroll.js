// Teach the table a die: name it, show each face to the camera, keep it.

import { announce, h, render } from "./dom.js";
import { data, t } from "./page.js";
import { Refused, post } from "./send.js";

const API = "/api/v1/enroll";
const EVERY_MS = 700;
const PATIENCE_MS = 30000;
const REFUSAL_MS = 4000;

const local = {
  state: null,
  seen: null,
  error: null,
  refused: null,
  busy: null,
  done: null,
  form: { name: "", kind: Object.keys(data.kinds)[0] },
  leaving: null,
  refusedAt: 0,
};
let timer = 0;

const ask = (path, body = {}) => post(`${API}${path}`, body, {}, 0, PATIENCE_MS);
const redraw = () => render(document.getElementById("app"), draw());

/** Do something; what goes wrong is said on the page. */
async function act(name, doIt) {
  if (local.busy) return undefined;
  Object.assign(local, { busy: name, error: null, refused: null, done: null });
  redraw();
  try {
    local.state = await doIt();
    return local.state;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    local[error.code === "bad-picture" ? "refused" : "error"] = error.message;
    local.refusedAt = Date.now();
    announce(error.message);
    return undefined;
  } finally {
    local.busy = null;
    redraw();
  }
}

/** A face in words: a value, or "3 by night" of a day-and-night die. */
const nameOf = (face) =>
  /^\d+$/.test(face)
    ? face
    : t("face_name", { number: Number(face[0]), half: t(face[1] === "d" ? "by_day" : "by_night") });

async function take(face) {
  const taken = await act(`take-${face}`, () => ask("/take", { face }));
  if (taken) announce(t("enroll_taken", { face: nameOf(face) }));
}

async function finish() {
  const { name } = local.state.enrollment;
  if (await act("finish", () => ask("/finish"))) local.done = t("enroll_known", { name });
  redraw();
}

// ---- what the page shows

function draw() {
  const { state } = local;
  if (!data.can_enroll) return h("p", { class: "notice" }, t("enroll_no_dice"));
  if (!state) return h("p", { class: "notice" }, local.error || t("connecting"));
  return h(
    "div",
    { class: "enrollment", key: "enrollment" },
    h("h1", {}, t("title_enroll")),
    local.done && h("p", { class: "panel done", role: "status", key: "done" }, "✓ ", local.done),
    local.error && h("p", { class: "error", role: "alert", key: "error" }, local.error),
    state.enrollment ? enrollment(state.enrollment) : [begin(), known(state.dice)],
    h(
      "p",
      { class: "row", key: "ways" },
      h("a", { class: "button", href: "/dealer" }, t("set_open_dealer")),
      h("a", { class: "button", href: "/setup" }, t("nav_setup")),
    ),
  );
}

function begin() {
  const { form } = local;
  const start = (event) => {
    event.preventDefault();
    act("begin", () => ask("", { name: form.name, kind: form.kind }));
  };
  return h(
    "form",
    { class: "panel begin", key: "begin", onsubmit: start },
    h("h2", {}, t("enroll_begin")),
    h("p", { class: "hint" }, t("enroll_begin_hint")),
    h(
      "label",
      { class: "field" },
      t("enroll_name"),
      h("input", {
        name: "die",
        maxlength: 40,
        required: true,
        autocomplete: "off",
        value: form.name,
        placeholder: t("enroll_name_such_as"),
        oninput: (event) => (form.name = event.target.value),
      }),
    ),
    h(
      "fieldset",
      { class: "choices" },
      h("legend", {}, t("enroll_kind")),
      Object.entries(data.kinds).map(([kind, title]) =>
        h(
          "label",
          { class: "choice", key: kind },
          h("input", {
            type: "radio",
            name: "kind",
            checked: form.kind === kind,
            onchange: () => ((form.kind = kind), redraw()),
          }),
          h("b", {}, title),
        ),
      ),
    ),
    h("button", { type: "submit", class: "primary", "aria-disabled": local.busy ? "true" : null }, t("enroll_start")),
  );
}

const known = (dice) =>
  h(
    "section",
    { class: "panel", key: "known", "aria-labelledby": "known-title" },
    h("h2", { id: "known-title" }, t("enroll_list")),
    dice.length === 0
      ? h("p", { class: "hint", key: "none" }, t("enroll_none"))
      : h("ul", { class: "dice", key: "dice" }, dice.map(oneKnown)),
  );

function oneKnown({ name, kind }) {
  const forget = () => act(`forget-${name}`, () => ask("/forget", { name }));
  const again = () => ((local.form = { name, kind }), act("begin", () => ask("", { name, kind })));
  return h(
    "li",
    { key: name },
    h("strong", {}, name),
    h("span", { class: "hint" }, data.kinds[kind]),
    h(
      "span",
      { class: "row" },
      h(
        "button",
        { type: "button", key: "again", "aria-label": t("enroll_again_what", { name }), onclick: again },
        t("enroll_again"),
      ),
      twice(`forget/${name}`, t("enroll_forget"), t("enroll_forget_sure", { name }), forget),
    ),
  );
}

/** A button that asks once more before it does what cannot be taken back. */
function twice(key, label, sure, run) {
  const asking = local.leaving === key;
  const press = () => {
    local.leaving = asking ? null : key;
    if (asking) run();
    else redraw();
  };
  return h(
    "button",
    {
      type: "button",
      key,
      class: asking ? "danger" : "",
      "aria-disabled": local.busy ? "true" : null,
      onclick: press,
      onblur: () => local.leaving === key && ((local.leaving = null), redraw()),
    },
    asking ? sure : label,
  );
}

function enrollment(it) {
  const done = it.faces.length - it.wanted.length;
  return [
    h(
      "section",
      { class: "panel", key: "open" },
      h("h2", {}, t("enroll_die", { name: it.name, kind: data.kinds[it.kind] })),
      h("p", { key: "how" }, t("enroll_how")),
      data.throws_die && h("p", { class: "hint", key: "pause" }, t("enroll_pause")),
      h(
        "div",
        { class: "progress", key: "progress" },
        h("progress", { max: it.faces.length, value: done, "aria-label": t("enroll_progress") }),
        h("b", {}, t("enroll_count", { done, all: it.faces.length })),
      ),
      h("div", { class: "two", key: "two" }, now(), grid(it)),
      h(
        "div",
        { class: "nav-row", key: "nav" },
        twice("cancel", t("enroll_cancel"), t("enroll_cancel_sure"), () => act("cancel", () => ask("/cancel"))),
        h(
          "button",
          {
            type: "button",
            key: "finish",
            class: "primary",
            "aria-disabled": local.busy || it.wanted.length ? "true" : null,
            onclick: () => it.wanted.length === 0 && finish(),
          },
          it.wanted.length ? t("enroll_missing", { count: it.wanted.length }) : t("enroll_finish"),
        ),
      ),
    ),
  ];
}

/** What the camera sees, and whether that will do. */
function now() {
  const { seen } = local;
  const trouble = local.refused || (seen?.trouble && t("enroll_trouble", { why: seen.trouble }));
  return h(
    "section",
    { class: "now", key: "now", "aria-label": t("enroll_now") },
    seen
      ? h("img", { key: "shot", class: "shot", src: seen.picture, alt: t("enroll_now") })
      : h("p", { key: "no-shot", class: "no-shot" }, t("camera_waiting")),
    h(
      "p",
      { key: "word", class: `word ${trouble ? "bad" : "good"}`, role: local.refused ? "alert" : null },
      trouble ? `✗ ${trouble}` : seen ? `✓ ${t("enroll_fit")}` : "",
    ),
    says(seen && !seen.trouble ? seen.says : null, !seen || Boolean(seen.trouble)),
    last(),
  );
}

/** What the camera reads by itself, to be confirmed. Always there: nothing may move under a finger. */
const says = (face, waits) =>
  h(
    "button",
    {
      type: "button",
      key: "says",
      class: `says${face ? " primary" : ""}`,
      "aria-disabled": local.busy || !face ? "true" : null,
      onclick: () => face && take(face),
    },
    face ? t("enroll_says", { face: nameOf(face) }) : t(waits ? "enroll_says_wait" : "enroll_says_none"),
  );

function last() {
  const it = local.state.enrollment.last;
  if (!it) return null;
  return h(
    "div",
    { class: "last", key: "last" },
    h("img", { src: it.picture, alt: "" }),
    h("p", {}, t("enroll_last", { face: nameOf(it.face) })),
    h(
      "button",
      { type: "button", "aria-disabled": local.busy ? "true" : null, onclick: () => act("undo", () => ask("/undo")) },
      t("enroll_undo"),
    ),
  );
}

function grid(it) {
  const fits = local.seen && !local.seen.trouble;
  return h(
    "section",
    { class: "faces", key: "faces", "aria-labelledby": "faces-title" },
    h("h3", { id: "faces-title" }, t("enroll_tap")),
    h(
      "ul",
      {},
      it.faces.map(({ face, shown }) =>
        h(
          "li",
          { key: face },
          h(
            "button",
            {
              type: "button",
              class: `face ${shown ? "is-shown" : "is-wanted"}`,
              "aria-label": t(shown ? "enroll_face_shown" : "enroll_face_wanted", { face: nameOf(face) }),
              "aria-disabled": local.busy || !fits ? "true" : null,
              onclick: () => take(face),
            },
            h("b", {}, face.length > 1 && /[dn]$/.test(face) ? nameOf(face) : face),
            h("small", {}, shown ? `✓ ${t("enroll_shown")}` : `○ ${t("enroll_wanted")}`),
          ),
        ),
      ),
    ),
    h("p", { class: "hint" }, t("enroll_turn")),
  );
}

// ---- looking, one look at a time, while an enrollment is open

async function look() {
  if (local.state?.enrollment && !document.hidden && !local.busy) {
    try {
      local.seen = await ask("/look");
      if (Date.now() - local.refusedAt > REFUSAL_MS) local.refused = null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.code === "no-enrollment") await refresh();
      local.error = error.code === "no-enrollment" && !local.state?.enrollment ? null : error.message;
    }
    redraw();
  }
  timer = setTimeout(look, EVERY_MS);
}

async function refresh() {
  const answer = await fetch(API, { cache: "no-store" }).catch(() => null);
  if (answer?.ok) local.state = await answer.json();
  else local.error = (await answer?.json().catch(() => null))?.message || t("no_network");
  redraw();
}

addEventListener("pagehide", () => clearTimeout(timer));
redraw();
if (data.can_enroll) refresh().then(look);
