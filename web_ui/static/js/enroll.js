// Teach the table a die: name it, show each face to the camera, keep it.

import { announce, h } from "./dom.js";
import {
  act,
  ask,
  beginForm,
  cameraSees,
  faceName,
  finishButton,
  kindChoice,
  knownList,
  local,
  nameField,
  page,
  progress,
  redraw,
  refresh,
  start,
  takenPicture,
  twice,
} from "./enrolling.js";
import { data, t } from "./page.js";

let form = { name: "", kind: Object.keys(data.kinds)[0] };

async function take(face) {
  const taken = await act(`take-${face}`, () => ask("/take", { face }));
  if (taken) announce(t("enroll_taken", { face: faceName(face) }));
}

async function finish() {
  const { name } = local.state.enrollment;
  if (await act("finish", () => ask("/finish"))) local.done = t("enroll_known", { name });
  else await refresh(); // faces that did not do are wanted again
  redraw();
}

// ---- what the page shows

const draw = () =>
  page(
    "title_enroll",
    "enroll_no_dice",
    (state) =>
      state.enrollment
        ? enrollment(state.enrollment)
        : [begin(), knownList(t("enroll_list"), t("enroll_none"), state.dice.map(known))],
    h("a", { class: "button", key: "axis", href: "/setup/axis" }, t("title_axis")),
  );

const begin = () =>
  beginForm(
    t("enroll_begin"),
    t("enroll_begin_hint"),
    () => act("begin", () => ask("", { name: form.name, kind: form.kind })),
    nameField(form, "die", t("enroll_name"), t("enroll_name_such_as")),
    kindChoice(t("enroll_kind"), form.kind, (kind) => (form.kind = kind)),
  );

function known({ name, kind }) {
  const forget = () => act(`forget-${name}`, () => ask("/forget", { name }));
  const again = () => ((form = { name, kind }), act("begin", () => ask("", { name, kind, replace: true })));
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

function enrollment(it) {
  const done = it.faces.length - it.wanted.length;
  return [
    h(
      "section",
      { class: "panel", key: "open" },
      h("h2", {}, t("enroll_die", { name: it.name, kind: data.kinds[it.kind] })),
      h("p", { key: "how" }, t("enroll_how")),
      data.throws_die && h("p", { class: "hint", key: "pause" }, t("enroll_pause")),
      progress(done, it.faces.length, t("enroll_progress"), t("enroll_count", { done, all: it.faces.length })),
      h("div", { class: "two", key: "two" }, now(it), grid(it)),
      h(
        "div",
        { class: "nav-row", key: "nav" },
        twice("cancel", t("enroll_cancel"), t("enroll_cancel_sure"), () => act("cancel", () => ask("/cancel"))),
        finishButton(
          it,
          it.wanted.length ? t("enroll_missing", { count: it.wanted.length }) : t("enroll_finish"),
          finish,
        ),
      ),
    ),
  ];
}

function now({ last }) {
  const { seen } = local;
  const word = last && t("enroll_last", { face: faceName(last.face) });
  return cameraSees(
    t("enroll_fit"),
    says(seen && !seen.trouble ? seen.says : null, !seen || Boolean(seen.trouble)),
    last && takenPicture(last.picture, word, () => act("undo", () => ask("/undo", { face: last.face }))),
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
    face ? t("enroll_says", { face: faceName(face) }) : t(waits ? "enroll_says_wait" : "enroll_says_none"),
  );

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
              "aria-label": t(shown ? "enroll_face_shown" : "enroll_face_wanted", { face: faceName(face) }),
              "aria-disabled": local.busy || !fits ? "true" : null,
              onclick: () => take(face),
            },
            h("b", {}, face.length > 1 && /[dn]$/.test(face) ? faceName(face) : face),
            h("small", {}, shown ? `✓ ${t("enroll_shown")}` : `○ ${t("enroll_wanted")}`),
          ),
        ),
      ),
    ),
    it.faces.some(({ face }) => face === "9") && h("p", { class: "hint", key: "turn" }, t("enroll_turn")),
  );
}

start(draw);
