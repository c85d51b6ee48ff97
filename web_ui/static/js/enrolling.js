// What the pages have in common on which the table is taught a thing: ask, refuse, look again and again.

import { announce, h } from "./dom.js";
import { renderKept } from "./focus_kept.js";
import { data, t } from "./page.js";
import { Refused, post } from "./send.js";

const EVERY_MS = 700;
const FOLLOW_MS = 2000;
const PATIENCE_MS = 30000;
const REFUSAL_MS = 4000;

/** `state` is the server's; `seen` what the camera saw last, `refused` why a picture will not do, `leaving` what a
 * button asks once more. */
export const local = { state: null, seen: null, error: null, refused: null, busy: null, done: null, leaving: null };
let draw = () => null;
let refusedAt = 0;
let timer = 0;
let steps = 0; // taken here: an answer that was asked for before one is out of date

export const ask = (path, body = {}) => post(`${data.api}${path}`, body, {}, 0, PATIENCE_MS);
export const redraw = () => renderKept(document.getElementById("app"), draw());

/** Do something; what goes wrong is said on the page, but for what `unless` takes care of by the error's code. */
export async function act(name, doIt, unless = {}) {
  if (local.busy) return undefined;
  steps += 1;
  Object.assign(local, { busy: name, error: null, refused: null, done: null });
  redraw();
  try {
    local.state = await doIt();
    return local.state;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (unless[error.code]) return unless[error.code](error);
    local[error.code === "bad-picture" ? "refused" : "error"] = error.message;
    refusedAt = Date.now();
    announce(error.message);
    return undefined;
  } finally {
    local.busy = null;
    redraw();
    if (local.error) document.querySelector(".enrollment > .error")?.scrollIntoView({ block: "nearest" });
  }
}

/** A button that asks once more before it does what cannot be taken back. */
export function twice(key, label, sure, run) {
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

// ---- what the pages show

/** A face in words: a value, or "3 by night" of a day-and-night die. */
export const faceName = (face) =>
  /^\d+$/.test(face)
    ? face
    : t("face_name", { number: Number(face[0]), half: t(face[1] === "d" ? "by_day" : "by_night") });

/** The kinds of dice, of which one is `chosen`; `choose` hears of another. */
export const kindChoice = (legend, chosen, choose) =>
  h(
    "fieldset",
    { class: "choices", key: "kinds" },
    h("legend", {}, legend),
    Object.entries(data.kinds).map(([kind, title]) =>
      h(
        "label",
        { class: "choice", key: kind },
        h("input", {
          type: "radio",
          name: "kind",
          checked: kind === chosen,
          onchange: () => (choose(kind), redraw()),
        }),
        h("b", {}, title),
      ),
    ),
  );

/** The page: what `content` draws of the server's state, or why there is none; `title` and `without` are keys, `ways`
 * leads to a page beside this one. */
export function page(title, without, content, ways = null) {
  const { state } = local;
  if (!data.can_enroll) return h("p", { class: "notice" }, t(without));
  if (!state) return h("p", { class: "notice" }, local.error || t("connecting"));
  return h(
    "div",
    { class: "enrollment", key: "enrollment" },
    h("h1", {}, t(title)),
    local.done && h("p", { class: "panel done", role: "status", key: "done" }, "✓ ", local.done),
    local.error && h("p", { class: "error", role: "alert", key: "error" }, local.error),
    content(state),
    h(
      "p",
      { class: "row", key: "ways" },
      h("a", { class: "button", href: "/dealer" }, t("set_open_dealer")),
      h("a", { class: "button", href: "/setup" }, t("nav_setup")),
      ways,
    ),
  );
}

/** Where the thing is named; `label` and `example` are texts, and `form.name` follows. */
export const nameField = (form, name, label, example) =>
  h(
    "label",
    { class: "field" },
    label,
    h("input", {
      name,
      maxlength: 40,
      required: true,
      autocomplete: "off",
      value: form.name,
      placeholder: example,
      oninput: (event) => (form.name = event.target.value),
    }),
  );

/** The form that begins it; `title` and `hint` are texts, `inside` is what is asked for. */
export const beginForm = (title, hint, begin, ...inside) =>
  h(
    "form",
    { class: "panel begin", key: "begin", onsubmit: (event) => (event.preventDefault(), begin()) },
    h("h2", {}, title),
    h("p", { class: "hint" }, hint),
    inside,
    h("button", { type: "submit", class: "primary", "aria-disabled": local.busy ? "true" : null }, t("enroll_start")),
  );

/** What is known already; `title` and `none` are texts. */
export const knownList = (title, none, lines) =>
  h(
    "section",
    { class: "panel", key: "known", "aria-labelledby": "known-title" },
    h("h2", { id: "known-title" }, title),
    lines.length === 0 ? h("p", { class: "hint", key: "none" }, none) : h("ul", { class: "dice", key: "list" }, lines),
  );

/** What the camera sees, and whether that will do, or did already: `fits` is said then. `below` follows. */
export function cameraSees(fits, ...below) {
  const { seen } = local;
  const trouble = local.refused || (seen?.trouble && !seen.told && t("enroll_trouble", { why: seen.trouble }));
  return h(
    "section",
    { class: "now", key: "now", "aria-label": t("enroll_now") },
    seen
      ? h("img", { key: "shot", class: "shot", src: seen.picture, alt: t("enroll_now") })
      : h("p", { key: "no-shot", class: "no-shot" }, t("camera_waiting")),
    h(
      "p",
      { key: "word", class: `word ${trouble ? "bad" : "good"}`, role: local.refused ? "alert" : null },
      trouble ? `✗ ${trouble}` : seen ? `✓ ${fits}` : "",
    ),
    below,
  );
}

/** A picture that was taken, and the way back. */
export const takenPicture = (src, word, undo) =>
  h(
    "div",
    { class: "last", key: "last" },
    h("img", { src, alt: "" }),
    h("p", {}, word),
    h("button", { type: "button", "aria-disabled": local.busy ? "true" : null, onclick: undo }, t("enroll_undo")),
  );

/** Keeps what was taught, once nothing is missing; `label` is a text. */
export const finishButton = ({ wanted }, label, finish) =>
  h(
    "button",
    {
      type: "button",
      key: "finish",
      class: "primary",
      "aria-disabled": local.busy || wanted.length ? "true" : null,
      onclick: () => wanted.length === 0 && finish(),
    },
    label,
  );

/** How far it has come; `label` and `count` are texts. */
export const progress = (done, all, label, count) =>
  h(
    "div",
    { class: "progress", key: "progress" },
    h("progress", { max: all, value: done, "aria-label": label }),
    h("b", {}, count),
  );

// ---- looking, one look at a time, while an enrollment is open

async function look() {
  if (local.state?.enrollment && !document.hidden && !local.busy) {
    try {
      local.seen = await ask("/look");
      if (Date.now() - refusedAt > REFUSAL_MS) local.refused = null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.code === "no-enrollment") await refresh();
      local.error = error.code === "no-enrollment" && !local.state?.enrollment ? null : error.message;
    }
    redraw();
  }
  timer = setTimeout(look, EVERY_MS);
}

/** Ask how it stands. */
export async function refresh() {
  const answer = await fetch(data.api, { cache: "no-store" }).catch(() => null);
  if (answer?.ok) local.state = await answer.json();
  else local.error = (await answer?.json().catch(() => null))?.message || t("no_network");
  redraw();
}

/** Show what somebody does meanwhile at another screen. What goes wrong is said where something is asked for. */
async function follow() {
  if (document.hidden || local.busy) return;
  const before = steps;
  const answer = await fetch(data.api, { cache: "no-store" }).catch(() => null);
  const state = answer?.ok && (await answer.json().catch(() => null));
  if (!state || steps !== before) return;
  local.state = state;
  redraw();
}

/** Show the page, and look as long as it is open. */
export function start(drawn) {
  draw = drawn;
  redraw();
  if (!data.can_enroll) return;
  const following = setInterval(follow, FOLLOW_MS);
  addEventListener("pagehide", () => (clearTimeout(timer), clearInterval(following)));
  refresh().then(look);
}
