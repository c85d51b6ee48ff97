// The dealer's console: the one thing to do next, and everything else within a tap. Each game brings its own buttons,
// tabs and board; questions, undo, camera, players, log and keyboard are the same for all.

import { announce, h, unbroken } from "./dom.js";
import { answer, command, post } from "./send.js";
import { cameraTab } from "./camera.js";
import { card } from "./card.js";
import { changeGame, chooseGame } from "./change_game.js";
import * as dialog from "./dialog.js";
import { journalTrouble } from "./journal_trouble.js";
import { logOutAt } from "./log_out.js";
import { nightNotice } from "./night.js";
import { clock, data, number, sourceName, t } from "./page.js";
import { lastTick, nextTick, paySheet } from "./pay_sheet.js";
import { groups, isFortune, keyHint, seatBadge, whoTag } from "./pieces.js";
import { header, messages, phaseOf, phasePill, start, toast } from "./shell.js";
import { wordsButton } from "./aside.js";
import { keepLeadFitting } from "./fit_lead.js";
import { focusLine, isOpen as isTyping, openLine, quickLine } from "./quick_line.js";
import { risk } from "./risk.js";
import { isOwed, settleUp } from "./settle_up.js";
import { whatTheTableShows } from "./shows.js";

/** @typedef {import("./types").RoomView} RoomView */

const AFTER_TAP_MS = 400;
const DEMO_MS = 1500;
const DEMO_SOON_MS = 300;
const SAID_LENGTH = 60;
const UNSEEN_MS = 250; // what came so short a time ago was not seen by the hand that presses now

/** Whether everything has to be on one screen, as dealer.css has it. */
export const roomy = matchMedia("(min-width: 62.5em) and (min-height: 40em)");
export const local = { tab: null, demo: data.demo, busy: new Set() };
let page = null;
let game = null;
let demoPart = null;
const seen = {};
let places = 0; // of main buttons, at most
let touchedAt = Infinity; // when the finger came down that is about to click
export const redraw = () => page?.redraw();

/**
 * Run the console of a game.
 * @param {object} its pills(view), step(view) {title, hint}, mainActions(view) [{id, label, run, off}], verbs(view),
 *   secondButtons(view), lead(view), board(view), tabs, bodies {tab: draw(view)}, tabKeys {letter: tab},
 *   keys [[letters, text key]], onKey(letter, view) → handled, byHand: the tab with which the game goes on without a
 *   camera, demo {deal, gather}: text keys of the demo's buttons where they are others, terms of the glossary,
 *   shows: switches (see shows.js), spotName(on), cause(worst) and atMost(coins) for the house's risk, sitting: false
 *   where the board shows everybody and their coins, lead(view): what is to be paid or was just decided
 */
export function runConsole(its) {
  game = its;
  local.tab = data.view.players.length ? its.tabs[0] : "players";
  document.addEventListener("keydown", onKey);
  document.addEventListener("pointerdown", () => (touchedAt = performance.now()), true);
  const noFinger = () => (touchedAt = Infinity);
  window.addEventListener("click", noFinger);
  for (const other of ["keydown", "pointercancel"]) document.addEventListener(other, noFinger, true); // no click comes
  page = start("dealer", draw, {
    onView(view, before) {
      if (view.log?.at(-1)?.seq !== before.log?.at(-1)?.seq) announce(view.log?.at(-1)?.text);
      // Coins that were handed over have to come back, and the sheet that said which is gone. What was ticked then only
      // the table knows: this page may have slept.
      for (const { seq, text, data: about } of view.notices ?? [])
        if (seq > before.seq && about.undone) toast(text, "error", { isWarning: true });
    },
    onDrawn: afterDrawing(keepLeadFitting()),
    hasPlace: () => roomy.matches,
  });
  roomy.addEventListener("change", redraw);
  setInterval(() => (local.demo || page.view.demo) && askDemo(), DEMO_MS);
}

const afterDrawing = (fit) => () => (fit(), focusLine());

const tabNames = () => [...game.tabs, "players", "camera", ...(local.demo ? ["demo"] : []), "log"];

function draw(now) {
  const { view } = now;
  noteSeen(view);
  return [
    header(now, [game.pills(view), phasePill(view)], ["/", "/odds", "/history", "/setup"]),
    h(
      "main",
      { id: "main", class: `console ${view.game}`, key: "main" },
      h("h1", { class: "quiet" }, t("title_dealer")),
      h(
        "div",
        { class: "lead", key: "lead" },
        questions(view),
        nightNotice(view, changeAsPlanned, local.busy.has("change")),
        journalTrouble(view, () => order({ do: "accept-loss" }), local.busy.has("accept-loss")),
        floorLink(view),
        cameraLost(view),
        next(view),
        h("div", { class: "board", key: "board" }, game.board(view)),
        game.sitting !== false && sitting(view),
        risk(view, game),
      ),
      h(
        "div",
        { class: "work", key: "work" },
        h("aside", { class: "pay", key: "pay", "aria-label": t("pay_sheet") }, sheet(view), game.lead(view)),
        tabs(),
        h(
          "section",
          {
            class: `panel tab-${local.tab}`,
            id: "tab",
            key: local.tab,
            role: "tabpanel",
            tabindex: 0,
            "aria-label": t(`tab_${local.tab}`),
          },
          body(view),
        ),
      ),
      quickLine(view, game, { can, order, redraw, isBusy: () => local.busy.size > 0 }),
      h(
        "footer",
        { class: "foot", key: "foot", hidden: isTyping() },
        h("button", { type: "button", class: "link", onclick: help }, t("shortcuts"), keyHint("?")),
        wordsButton(game.terms),
        data.duty && dutyButton(view),
        data.changes &&
          h("button", { type: "button", key: "change", class: "link", onclick: chooseGame }, t("change_game")),
        data.switches &&
          h(
            "button",
            { type: "button", key: "shows", class: "link", onclick: () => whatTheTableShows(game.shows ?? []) },
            t("shows"),
          ),
        h(
          "a",
          { class: "button link", key: "bug", href: "/api/v1/setup/bug-report.zip", download: "" },
          t("bug_report"),
        ),
        h("a", { class: "button link", key: "browsers", href: "/dealer/browsers" }, t("title_browsers")),
        view.risk && h("a", { class: "button link", key: "standing", href: "/dealer/standing" }, t("risk_standing")),
        h("a", { class: "button link", key: "house", href: "/dealer/house" }, t("title_house")),
        h("button", { type: "button", class: "link", onclick: logOut }, t("log_out")),
      ),
    ),
  ];
}

/** The house's floor: the connection while it is not as it should be, and new prices that wait for the next round. */
function floorLink({ floor }) {
  if (!floor || (floor.status === "ok" && !floor.prices)) return null;
  return h(
    "div",
    { class: `panel${floor.status === "trouble" ? " error" : ""}`, key: "floor", role: "status" },
    floor.status !== "ok" && h("p", { key: "link" }, floor.text),
    floor.prices && h("p", { key: "prices", class: "big" }, floor.prices),
  );
}

/** Who is on duty, at a table that has joined a floor; the button signs on and off. */
const dutyButton = ({ floor }) =>
  h(
    "button",
    { type: "button", key: "duty", class: "link", onclick: () => import("./duty.js").then((part) => part.showDuty()) },
    floor?.dealer ? t("duty_is", { name: floor.dealer }) : t("duty_nobody"),
  );

const body = (view) => ({ camera: cameraTab, demo: demoTab, log: logTab, ...game.bodies })[local.tab](view);

// ---- doing things

/** Do something once, however often it is tapped. */
export async function act(name, doIt, said) {
  if (local.busy.has(name)) return false;
  let done = false;
  local.busy.add(name);
  redraw();
  try {
    const result = await doIt();
    done = true;
    const text = said ? said(result) : result?.events?.find((event) => event.text)?.text;
    if (text) toast(text);
  } catch (error) {
    toast(error.message, "error");
  }
  setTimeout(() => (local.busy.delete(name), redraw()), AFTER_TAP_MS);
  return done;
}

export const order = (record, name = record.do) => act(name, () => command("dealer", record));

/** The same for what would do another thing if the table has gone on meanwhile, such as a throw that two enter. */
export const orderNext = (record, name = record.do) => act(name, () => command("dealer", record, page.view.seq));
/** @type {function(RoomView, string): boolean} */
export const can = (view, verb) => view.expected.includes(verb);

/** Take back what is shown as the latest, and only that: what came a blink ago was not seen. */
const undo = () => (isUnseen("latest") ? toast(t("undo_overtaken"), "error") : orderNext({ do: "undo", whole: true }));

/** Do again what is shown, and only that. */
const redo = () => (isUnseen("redo") ? overtaken() : orderNext({ do: "redo", whole: true }));

const sheet = (view) =>
  paySheet(view, {
    nameOf: game.spotName,
    tick: (steps, paid) => tick(view, steps, paid),
    busy: local.busy.has("tick"),
  });

/** Note payments as done, or not after all; not just as somebody else has ticked one. */
const tick = (view, steps, paid) =>
  steps.length > 0 &&
  (isUnseen("ticks")
    ? overtaken()
    : act(
        "tick",
        () => post("/api/v1/payments?as=dealer", { sheet: view.pay_sheet.id, steps, paid }, {}, 0),
        () => null,
      ));

const changeAsPlanned = (place) => act("change", () => changeGame(place));

/** Note since when the page shows what a hand is about to act on. What this page itself has done was no surprise. */
function noteSeen(view) {
  const isOwn = local.busy.size > 0 || view === seen.view;
  seen.view = view;
  note("latest", `${view.session}/${view.commands}/${view.undo}`);
  note("redo", String(view.redo), isOwn);
  note("hold", String(view.hold), isOwn);
  const main = mainActions(view);
  note("next", [view.phase, view.turn && stepOf(view).title, ...main.map(({ id }) => id)].join(), isOwn);
  places = Math.max(places, main.length);
  for (let place = 0; place < places; place++)
    note(mainPart(place), main[place] ? [view.turn, main[place].id, main[place].label].join() : "", isOwn);
  note("ticks", view.pay_sheet?.paid.join() ?? "", isOwn || seen.sheet !== view.pay_sheet?.id);
  note("asked", (view.questions ?? []).map(({ id, choices }) => [id, ...choices.map(({ mark }) => mark)]).join());
  seen.sheet = view.pay_sheet?.id;
}

/** What stands at a place among the main buttons: a finger aims at a place. */
const mainPart = (place) => `main ${place}`;

function note(part, what, isOwn = false) {
  const before = seen[part]?.what;
  if (what === before) return;
  seen[part] = { what, before, since: before === undefined || isOwn ? -Infinity : performance.now() };
}

/** Whether a part of the page is as it is since so short a time that the hand which presses now has not seen it. */
const isUnseen = (part) => Math.min(performance.now(), touchedAt) - (seen[part]?.since ?? -Infinity) < UNSEEN_MS;
/** Say that a hand was overtaken: what it was about to do is not what the table waits for now. */
export const overtaken = () => toast(t("overtaken"), "error");

/** Why a verb cannot be done now, or null if it can. */
export const whyNot = (view, verb) =>
  can(view, verb) && !view.reasons?.[verb]
    ? null
    : (view.reasons?.[verb] ?? (view.hold ? t("sub_hold", { why: view.hold }) : t("not_now")));

/** A button; one that is off says on touching why. `off` is false, true or the reason. */
export function button(id, label, run, off = false, key = null, cls = "") {
  const press = () => (off ? typeof off === "string" && toast(off) : run());
  return h(
    "button",
    {
      type: "button",
      key: id,
      class: `do-${id} ${cls}`,
      title: typeof off === "string" ? off : null,
      "aria-keyshortcuts": key,
      "aria-disabled": off || local.busy.has(id) ? "true" : null,
      onclick: press,
    },
    label,
    key && keyHint(key),
  );
}

/** Show a tab. */
export function show(tab) {
  local.tab = tab;
  redraw();
}

// ---- without eyes the table goes on by hand

const BY_HAND = {
  cards: { hint: () => t("camera_lost_hint"), label: () => t("camera_lost_cards") },
  die: { hint: () => t("die_lost_hint"), label: () => t("camera_lost_die") },
  do: { hint: () => t("do_lost_hint"), label: () => t("camera_lost_do") },
};

const byHand = () => BY_HAND[game.byHand] ?? BY_HAND.do;

function cameraLost(view) {
  const camera = view.camera || {};
  if (!["poor", "lost", "ended"].includes(camera.status)) return null;
  const isBlind = camera.status !== "poor";
  return h(
    "section",
    { class: "panel blind", key: "blind", role: "alert" },
    h(
      "p",
      { class: `camera-state ${camera.status}` },
      h("i", { "aria-hidden": "true" }),
      camera.text || t(`camera_${camera.status}`),
    ),
    isBlind && h("p", { class: "hint" }, byHand().hint()),
    isBlind &&
      local.tab !== game.byHand &&
      h("button", { type: "button", onclick: () => show(game.byHand) }, byHand().label()),
  );
}

// ---- the one thing to do next

function next(view) {
  const step = stepOf(view);
  return h(
    "section",
    { class: `next phase-${phaseOf(view)}`, key: "next", "aria-live": "polite" },
    h(
      "div",
      { class: "next-head", key: "head" },
      h("p", { class: "label" }, t("next")),
      h("div", { class: "say", role: "alert" }, roomy.matches && !dialog.isOpen() && messages()),
    ),
    h("p", { class: "big", key: "title" }, step.title),
    step.hint && h("p", { class: "hint", key: "hint" }, step.hint),
    view.practice && h("p", { class: "practice-line", key: "practice" }, view.practice),
    local.demo && h("p", { class: "demo-line", key: "demo" }, demoLine(local.demo), demoLinks(local.demo)),
    h(
      "div",
      { class: "actions main-actions", key: "main" },
      mainActions(view).map((action, i) => mainButton(action, i, i === 0 && !isAsked(view))),
    ),
    game.verbs?.(view),
    h(
      "div",
      { class: "actions second", key: "second" },
      game.secondButtons?.(view),
      isOwed(view) && button("settle", t("settle_up"), () => settleUp(view)),
      h("span", { class: "undo-row", key: "undo-row" }, undoButtons(view)),
    ),
  );
}

/** Everybody at the table: their coins, and what they have staked. */
const sitting = (view) =>
  h(
    "ul",
    { class: "sitting", key: "sitting", "aria-label": t("players") },
    view.players.map((player) =>
      h(
        "li",
        { key: player.seat },
        seatBadge(player.seat),
        whoTag(player.name),
        h(
          "span",
          { class: "held" },
          h(
            "b",
            { class: isFortune(player.coins) ? "fortune" : null, title: number(player.coins) },
            groups(player.coins),
          ),
          player.staked > 0 &&
            h(
              "span",
              { class: "staked", title: t("on_table", { count: number(player.staked) }) },
              groups(player.staked),
              h("span", { class: "quiet" }, " ", t("staked")),
            ),
        ),
      ),
    ),
  );

function stepOf(view) {
  if (view.questions?.some((question) => question.blocks)) return { title: t("step_question") };
  if (phaseOf(view) === "hold") return { title: t("step_hold"), hint: t("sub_hold", { why: view.hold }) };
  return game.step(view);
}

/** The first of these is the main button, also for the key N. A table on hold takes nothing but its end. */
function mainActions(view) {
  if (!view.hold) return game.mainActions(view);
  return can(view, "release")
    ? [{ id: "release", label: t("do_release"), run: () => orderNext({ do: "release" }) }]
    : [];
}

/** While something is asked the answer is the main button, and what would come next is one among others. */
const isAsked = (view) => view.questions?.length > 0;

function mainButton(action, place, isMain) {
  const key = isMain ? "N" : action.key;
  return h(
    "button",
    {
      type: "button",
      key: action.id,
      class: isMain ? "primary" : "",
      "aria-keyshortcuts": key,
      title: typeof action.off === "string" ? action.off : null,
      "aria-disabled": action.off || local.busy.has(action.id) ? "true" : null,
      onclick: () => press(action, place),
    },
    action.label,
    key && keyHint(key),
  );
}

/** The key N: never past a question, which a hand that presses from habit has not read. */
function goOn(view) {
  if (isAsked(view)) return toast(t("answer_first"), "error");
  const [action] = mainActions(view);
  return action && !action.off && isUnseen("next") ? overtaken() : press(action, 0);
}

/** Do what a main button is for; one that is off says why, and that is no mistake of whoever pressed. */
function press(action, place) {
  if (action?.off) return toast(action.off);
  return isUnseen(mainPart(place)) ? overtaken() : action?.run();
}

const undoButtons = (view) => [
  button(
    "undo",
    view.undo ? t("undo_what", { what: said(view.undo) }) : t("nothing_to_undo"),
    undo,
    !can(view, "undo"),
    "U",
  ),
  can(view, "redo") && button("redo", t("redo_what", { what: said(view.redo) }), redo, false, "R"),
  can(view, "hold") && button("hold", t("do_hold"), () => order({ do: "hold" }), false, "H"),
];

const said = (what) => (what.length > SAID_LENGTH ? `${what.slice(0, SAID_LENGTH - 1)}…` : what);

// ---- questions

function questions(view) {
  let key = 0;
  return (view.questions || []).map((question) =>
    h(
      "section",
      { class: `question${question.blocks ? " blocks" : ""}`, key: `q${question.id}`, role: "alert" },
      CARDS.has(question.card) && card(question.card),
      h(
        "div",
        {},
        h("p", { class: "big" }, unbroken(question.text)),
        h(
          "div",
          { class: "actions" },
          question.choices.map((choice) => ((key += 1), choiceButton(question, choice, key))),
          question.link && h("a", { class: "button", key: "link", href: question.link.href }, question.link.label),
        ),
      ),
    ),
  );
}

const CARDS = new Set(data.cards ?? []);

const choiceButton = (question, choice, key) =>
  h(
    "button",
    {
      type: "button",
      key: choice.id,
      class: key === 1 ? "primary" : "",
      "aria-keyshortcuts": key < 10 ? key : null,
      "aria-disabled": local.busy.has(question.id) ? "true" : null,
      onclick: () => decide(question, choice),
    },
    h("span", {}, unbroken(choice.label)),
    key < 10 && keyHint(key),
  );

/** A key could be meant for something else altogether; a finger goes wrong where another question has come up. */
const decide = (question, choice, isKey = false) =>
  isUnseen("asked") && (isKey || seen.asked.before !== "")
    ? overtaken()
    : act(question.id, () => answer(question.id, choice));

// ---- tabs

function tabs() {
  const all = tabNames();
  return h(
    "div",
    { class: "tabs", role: "tablist", key: "tabs", onkeydown: tabKeys },
    all.map((tab) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          key: tab,
          id: `tab-${tab}`,
          "aria-selected": String(local.tab === tab),
          "aria-controls": "tab",
          tabindex: local.tab === tab ? 0 : -1,
          onclick: () => show(tab),
        },
        t(`tab_${tab}`),
      ),
    ),
  );
}

function tabKeys(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const all = tabNames();
  show(all[(all.indexOf(local.tab) + step + all.length) % all.length]);
  document.getElementById(`tab-${local.tab}`).focus();
  event.preventDefault();
}

/** What the demo's house is about to do. */
function demoLine(state) {
  if (state.betting_left_s != null)
    return t("demo_closes", { text: state.text, count: Math.ceil(state.betting_left_s) });
  return state.text || "";
}

/** To the seat that this browser plays, and to the PIN that the table has not yet. */
const demoLinks = ({ auto, seat, pin }) => [
  " ",
  !auto && seat && h("a", { href: `/seat/${seat}`, key: "seat" }, t("demo_your_seat", { seat })),
  " ",
  pin === false && h("a", { href: "/setup", key: "pin" }, t("demo_no_pin")),
];

/** The tab of the demo, which only a demo table fetches. */
function demoTab() {
  if (!demoPart) import("./demo_tab.js").then((part) => ((demoPart = part), redraw()));
  return demoPart?.demoTab(game) ?? h("p", { class: "hint" }, t("connecting"));
}

/** Why the demo cannot do the next thing yet: its hand is in the picture, and nothing is dealt or thrown past it. */
export const demoWaits = () => (local.demo?.busy ? t("demo_busy") : false);

/** The main button with which the demo does the next thing. */
export const demoGoesOn = (label) => ({
  id: "demo-deal",
  label: t(label),
  run: () => demo({ do: "deal" }),
  off: demoWaits(),
});

/** Tell the demo table's house what to do. */
export const demo = (what) =>
  act(
    `demo-${what.kind || what.do}`,
    async () => {
      local.demo = await post("/dealer/demo", what, {}, 0);
      askDemoSoon();
    },
    () => local.demo.said,
  );

const logTab = (view) => [
  h(
    "ol",
    { class: "log", key: "log" },
    [...view.log]
      .reverse()
      .map((line, i) =>
        h(
          "li",
          { key: `${line.seq}/${i}` },
          h("time", {}, clock(line.at)),
          h("span", { class: "tag" }, sourceName(line.source)),
          h("span", {}, unbroken(line.text)),
        ),
      ),
  ),
  h("a", { class: "button", key: "all", href: "/history/log" }, t("log_all")),
];

// ---- keyboard

const KEYS = [
  ["N", "key_next"],
  ["1 – 9", "key_answer"],
  ["U", "key_undo"],
  ["R", "key_redo"],
  ["H", "key_hold"],
  ["X", "key_tick"],
  ["⇧ X", "key_untick"],
];
const LAST_KEYS = [
  ["?", "key_help"],
  ["Esc", "key_close"],
];

function help() {
  const letters = Object.keys(game.tabKeys)
    .map((key) => key.toUpperCase())
    .join(" ");
  const typed = game.quick ? [["0 – 9 /", "key_type"], ...(game.quick.examples ?? [])] : [];
  const all = [...KEYS, ...(game.keys || []), [letters, "key_tabs"], ...typed, ...LAST_KEYS];
  dialog.open(t("shortcuts"), () =>
    h(
      "dl",
      { class: "keys" },
      all.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, t(what))]),
    ),
  );
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("input:not([type=checkbox]), textarea, select")) {
    if (event.key === "Escape" && !dialog.isOpen()) event.target.blur(); // the next key is the table's again
    return;
  }
  const { view } = page;
  const key = event.key.toLowerCase();
  if (key === "?") return dialog.isOpen() ? dialog.close() : help();
  if (dialog.isOpen()) return;
  if (/^[1-9]$/.test(key) && isAsked(view)) answerByKey(view, Number(key));
  else if (game.quick && /^[0-9/]$/.test(key)) openLine(key === "/" ? "" : key, redraw);
  else if (key === "n") goOn(view);
  else if (key === "u" && can(view, "undo")) undo();
  else if (key === "r" && can(view, "redo")) redo();
  else if (key === "h" && can(view, "hold")) order({ do: "hold" });
  else if (key === "h" && can(view, "release")) isUnseen("hold") ? overtaken() : orderNext({ do: "release" });
  else if (key === "x" && view.pay_sheet)
    tick(view, event.shiftKey ? lastTick(view.pay_sheet) : nextTick(view.pay_sheet), !event.shiftKey);
  else if (game.tabKeys[key]) show(game.tabKeys[key]);
  else if (/^[a-z]$/.test(key) && isUnseen("next")) overtaken();
  else if (!game.onKey?.(key, view)) return;
  event.preventDefault();
}

function answerByKey(view, key) {
  const all = (view.questions || []).flatMap((question) => question.choices.map((choice) => [question, choice]));
  if (all[key - 1]) decide(...all[key - 1], true);
}

const logOut = () => act("logout", () => logOutAt("/dealer/logout"));

async function askDemo() {
  const now = document.hidden ? null : await fetch("/dealer/demo").catch(() => null);
  if (!now?.ok) return;
  const told = await now.json();
  if (!("auto" in told)) return; // another game's demo is not there yet
  local.demo = told;
  redraw();
  askDemoSoon();
}

let soon = null;

/** Ask again in a moment while the demo's hand is in the picture: what waits for it is not to wait any longer. */
function askDemoSoon() {
  if (!local.demo?.busy || soon) return;
  soon = setTimeout(() => ((soon = null), askDemo()), DEMO_SOON_MS);
}
