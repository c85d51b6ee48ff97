// A hand step by step: the table as it was, what happened, who did it, whose coins moved and what the camera saw.

import { announce, h, render } from "./dom.js";
import * as dialog from "./dialog.js";
import { moving } from "./motion.js";
import { clock, data, decimals, has, sourceName, t } from "./page.js";
import { chipsFor, coinRow, partyName } from "./pieces.js";
import { header } from "./shell.js";

const PLAY_MS = 1600;
const SWIPE_PX = 60;
const app = document.getElementById("app");
const { steps } = data;
const shown = { at: 0, playing: 0 };
let room = null;
let family = "";

/**
 * Run the page of a hand.
 * @param {{board: function, around: function, lastCard: function, flights: function}} its how the game draws its table
 * @param {string} className the page's, for the style sheet of a family of games
 */
export function runReplay(its, className = "") {
  [room, family] = [its, className];
  // how it ended comes first
  shown.at = placeIn(location.hash) ?? placeIn(`#s${data.hand.decided}`) ?? steps.length - 1;
  redraw();
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", () => go(placeIn(location.hash) ?? shown.at));
  its.narrow?.addEventListener("change", redraw);
  swiping(app);
}

/** Which step an address names: #s12 is the step of the journal's entry 12. */
function placeIn(hash) {
  const found = steps.findIndex((step) => `#s${step.seq}` === hash);
  return found < 0 ? null : found;
}

// ---- going from step to step

function go(place) {
  const at = Math.max(0, Math.min(steps.length - 1, place));
  if (at === shown.at) return;
  const before = viewAt(shown.at);
  const forward = at === shown.at + 1;
  shown.at = at;
  history.replaceState(null, "", `#s${steps[at].seq}`);
  const after = viewAt(at);
  if (forward && before && after)
    moving(redraw, room.flights({ ...after, payments: paid(steps[at]) }, { ...before, seq: -1 }));
  else redraw();
  document.querySelector(".step-list [aria-current]")?.scrollIntoView({ block: "nearest" });
  announce(t("step_said", { n: at + 1, of: steps.length, text: steps[at].sentence }));
}

/** Coins fly between people, pots and the house; a stake lies on the layout already. */
const paid = (step) =>
  step.moves
    .map((move) => ({ ...move, chips: chipsFor(move.coins) }))
    .filter((move) => move.from !== "stake" && move.to !== "stake");

/** The table after a step; where the rules have changed since, the last that is known. */
function viewAt(place) {
  for (let i = place; i >= 0; i--) if (steps[i].view) return { ...steps[i].view, seq: steps[i].seq };
  return steps.find((step) => step.view)?.view ?? null;
}

function play() {
  if (shown.playing) return stop();
  if (shown.at === steps.length - 1) go(0);
  shown.playing = setInterval(() => (shown.at === steps.length - 1 ? stop() : go(shown.at + 1)), PLAY_MS);
  redraw();
}

function stop() {
  clearInterval(shown.playing);
  shown.playing = 0;
  redraw();
}

const KEYS = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.isOpen() || event.target.matches("input, select"))
    return;
  if (event.key in KEYS) go(shown.at + KEYS[event.key]);
  else if (event.key === " " && !event.target.matches("button, a, summary")) play();
  else return;
  event.preventDefault();
}

/** A finger drawn to the left shows the next step, one to the right the one before. */
function swiping(node) {
  let from = null;
  node.addEventListener(
    "touchstart",
    (event) =>
      (from =
        event.touches.length === 1 && !event.target.closest("input, .scroll, .step-list") ? event.touches[0] : null),
    { passive: true },
  );
  node.addEventListener("touchend", (event) => {
    const [to] = event.changedTouches;
    const [dx, dy] = from ? [to.clientX - from.clientX, to.clientY - from.clientY] : [0, 0];
    if (Math.abs(dx) > SWIPE_PX && Math.abs(dx) > 2 * Math.abs(dy)) go(shown.at + (dx < 0 ? 1 : -1));
    from = null;
  });
}

// ---- drawing

const redraw = () => render(app, draw());

function draw() {
  const step = steps[shown.at];
  const view = viewAt(shown.at);
  return [
    header({ view: data.hand, live: undefined }, title(), ["/", "/odds", "/history", "/dealer"]),
    h(
      "main",
      { id: "main", class: `room replay ${family} ${data.hand.game}`, key: "main" },
      h("h1", { class: "quiet" }, t("replay_title", { n: data.hand.number, session: data.hand.session })),
      view
        ? [room.board(view), side(step, view), room.around(view)]
        : [h("p", { class: "panel notice", key: "board" }, t("replay_no_view")), side(step, null)],
    ),
    controls(),
  ];
}

const title = () => [
  h(
    "a",
    { class: "pill mild", href: `/history?session=${data.hand.session}`, key: "session" },
    t("session_n", { n: data.hand.session }),
  ),
  h("span", { class: "pill", key: "hand" }, data.hand.title),
];

function side(step, view) {
  return h(
    "aside",
    { class: "side", key: "side" },
    receiptLine(),
    said(step),
    h("div", { class: "seen", key: "seen" }, view && room.lastCard(view), step.evidence && evidence(step)),
    moved(step),
    stepList(),
    h(
      "p",
      { class: "hand-links", key: "links" },
      data.hand.decided && h("a", { class: "button", href: `${data.hand.base}/receipt` }, t("receipt")),
      h("a", { class: "button", href: `/api/v1/hands/${data.hand.id}` }, `${t("export")}: JSON`),
    ),
  );
}

function said(step) {
  return h(
    "section",
    { class: `prompt step${step.is_undone ? " undone" : ""}`, key: "said" },
    h("p", { class: "label" }, h("time", { datetime: step.at }, clock(step.at)), " · ", sourceName(step.source)),
    h("p", { class: "big" }, step.sentence),
    step.is_undone && h("p", { class: "sub" }, t("step_undone")),
    step.view === null && h("p", { class: "sub" }, t("replay_no_view")),
  );
}

function moved(step) {
  if (step.moves.length === 0) return null;
  const line = (move, i) =>
    h(
      "li",
      { key: i },
      h(
        "span",
        { class: "route" },
        h("span", { class: "who" }, partyName(move.from)),
        h("span", { class: "arrow", "aria-label": t("pays_to") }, "→"),
        h("span", { class: "who" }, partyName(move.to)),
      ),
      coinRow(move.coins),
    );
  return h(
    "section",
    { class: "panel payments", key: "moved", "aria-label": t("coins_moved") },
    h("h2", { class: "label" }, t("coins_moved")),
    h("ul", {}, step.moves.map(line)),
  );
}

const evidence = (step) =>
  h(
    "button",
    { type: "button", class: "evidence", key: "evidence", onclick: () => showEvidence(step) },
    h("img", {
      src: `/api/v1/evidence/${step.evidence}.jpg`,
      alt: t("evidence_of", { text: step.sentence }),
      loading: "lazy",
      onerror: (event) => (event.target.closest("button").hidden = true),
    }),
    h("span", {}, t("evidence")),
  );

async function showEvidence(step) {
  const answer = await fetch(`/api/v1/evidence/${step.evidence}`).catch(() => null);
  const facts = answer?.ok ? await answer.json() : {};
  dialog.open(t("evidence"), () => [
    h("img", {
      class: "evidence-large",
      src: `/api/v1/evidence/${step.evidence}.jpg`,
      alt: t("evidence_of", { text: step.sentence }),
    }),
    h(
      "dl",
      { class: "facts" },
      Object.entries(facts)
        .filter(([name, value]) => has(`fact_${name}`) && value !== null && String(value) !== "")
        .map(([name, value]) => [
          h("dt", { key: name }, t(`fact_${name}`)),
          h("dd", { key: `${name}.` }, factText(name, value)),
        ]),
    ),
  ]);
}

/** A fact about a picture as people say and write it. */
function factText(name, value) {
  if (name === "at") return clock(value);
  if (typeof value === "number" && !Number.isInteger(value)) return decimals(value, name === "confidence" ? 4 : 2);
  return has(`fact_${name}_${value}`) ? t(`fact_${name}_${value}`) : String(value);
}

const stepList = () =>
  h(
    "ol",
    { class: "step-list scroll", key: "steps", "aria-label": t("steps"), tabindex: 0 },
    steps.map((step, i) =>
      h(
        "li",
        { key: step.seq },
        h(
          "button",
          {
            type: "button",
            class: step.is_undone ? "undone" : "",
            "aria-current": i === shown.at ? "step" : null,
            onclick: () => go(i),
          },
          h("small", {}, i + 1),
          step.sentence,
        ),
      ),
    ),
  );

function controls() {
  const last = steps.length - 1;
  const one = (id, where, path, off) =>
    h(
      "button",
      {
        type: "button",
        key: id,
        "aria-label": t(`step_${id}`),
        title: t(`step_${id}`),
        "aria-disabled": off ? "true" : null,
        onclick: where,
      },
      icon(path),
    );
  return h(
    "section",
    { class: "controls", key: "controls", "aria-label": t("replay_controls") },
    one("first", () => go(0), "M6 5v14M19 5 9 12l10 7Z", shown.at === 0),
    one("previous", () => go(shown.at - 1), "M16 5 6 12l10 7Z", shown.at === 0),
    h(
      "button",
      {
        type: "button",
        key: "play",
        class: "primary",
        "aria-label": t(shown.playing ? "step_pause" : "step_play"),
        "aria-pressed": String(shown.playing > 0),
        onclick: play,
      },
      icon(shown.playing ? "M8 5v14M16 5v14" : "M7 4v16l13-8Z"),
    ),
    one("next", () => go(shown.at + 1), "M8 5l10 7-10 7Z", shown.at === last),
    one("last", () => go(last), "M18 5v14M5 5l10 7-10 7Z", shown.at === last),
    h("input", {
      key: "slider",
      type: "range",
      min: 0,
      max: last,
      value: shown.at,
      "aria-label": t("step_slider"),
      "aria-valuetext": t("step_of", { n: shown.at + 1, of: steps.length }),
      oninput: (event) => go(Number(event.target.value)),
    }),
    h("output", { key: "count" }, t("step_of", { n: shown.at + 1, of: steps.length })),
  );
}

const icon = (path) =>
  h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "control-icon" }, h("path", { d: path }));

/** Whoever came by a receipt's code hears whether it is the round that the journal has. */
function receiptLine() {
  const [, head] = location.hash.match(/^#head=([0-9a-f]{8,64})$/) || data.receipt || [];
  if (!head) return null;
  data.receipt = [null, head];
  const fits = data.hand.hash?.startsWith(head);
  return h(
    "p",
    { class: `panel receipt-check ${fits ? "good" : "error"}`, key: "receipt", role: "status" },
    fits ? t("receipt_fits") : t("receipt_differs"),
  );
}
