// The dealer's console: the one thing to do next, and everything else within a tap.

import { announce, h } from "./dom.js";
import { bettor } from "./betting.js";
import { card, suitEmblem } from "./card.js";
import * as dialog from "./dialog.js";
import { payouts } from "./explain.js";
import { chips, felt, newChoice } from "./felt.js";
import { cardName, clock, data, number, spotName, suitName, t } from "./page.js";
import { playersTab } from "./players.js";
import { answer, command, post } from "./send.js";
import { header, phaseOf, phasePill, roundPill, start, toast } from "./shell.js";
import { stacks } from "./stacks.js";
import { cameraTab } from "./camera.js";

const AFTER_TAP_MS = 400;
const DEMO_MS = 1500;
const TABS = ["bets", "cards", "players", "camera", ...(data.demo ? ["demo"] : []), "log"];
const local = { tab: data.view.players.length ? "bets" : "players", player: null, choice: newChoice(), burn: 1, demo: data.demo, busy: new Set() };
let page = null;
const redraw = () => page && page.redraw();
const bets = bettor("dealer", redraw);

function draw(now) {
  const { view } = now;
  return [
    header(now, [roundPill(view), phasePill(view)], ["/", "/odds", "/history", "/setup"]),
    h(
      "main",
      { id: "main", class: "console", key: "main" },
      h("h1", { class: "quiet" }, t("title_dealer")),
      h("div", { class: "lead", key: "lead" }, questions(view), cameraLost(view), next(view), view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble), payouts(view), board(view)),
      h("div", { class: "work", key: "work" }, tabs(view), h("section", { class: `panel tab-${local.tab}`, id: "tab", key: local.tab, role: "tabpanel", "aria-label": t(`tab_${local.tab}`) }, BODIES[local.tab](view))),
      h("footer", { class: "foot", key: "foot" }, h("button", { type: "button", class: "link", onclick: help }, t("shortcuts"), h("kbd", {}, "?")), h("button", { type: "button", class: "link", onclick: logOut }, t("log_out"))),
    ),
  ];
}

// ---- doing things

/** Do something once, however often it is tapped. */
async function act(name, doIt, said) {
  if (local.busy.has(name)) return;
  local.busy.add(name);
  redraw();
  try {
    const result = await doIt();
    const text = said ? said(result) : result?.events?.find((event) => event.text)?.text;
    if (text) toast(text);
  } catch (error) {
    toast(error.message, "error");
  }
  setTimeout(() => (local.busy.delete(name), redraw()), AFTER_TAP_MS);
}

const order = (record) => act(record.do, () => command("dealer", record));
const can = (view, verb) => view.expected.includes(verb);

// ---- without eyes the table goes on by hand

function cameraLost(view) {
  const camera = view.camera || {};
  if (camera.status !== "lost" && camera.status !== "ended") return null;
  return h(
    "section",
    { class: "panel blind", key: "blind", role: "alert" },
    h("p", { class: `camera-state ${camera.status}` }, h("i", { "aria-hidden": "true" }), camera.text || t(`camera_${camera.status}`)),
    h("p", { class: "hint" }, t("camera_lost_hint")),
    local.tab !== "cards" && h("button", { type: "button", onclick: () => show("cards") }, t("camera_lost_cards")),
  );
}

// ---- the one thing to do next

function next(view) {
  const step = stepOf(view);
  return h(
    "section",
    { class: `next phase-${phaseOf(view)}`, key: "next", "aria-live": "polite" },
    h("p", { class: "label" }, t("next")),
    h("p", { class: "big" }, step.title),
    step.hint && h("p", { class: "hint" }, step.hint),
    local.demo && h("p", { class: "demo-line" }, demoLine(local.demo)),
    h("div", { class: "actions" }, mainButtons(view)),
    h("div", { class: "actions second" }, secondButtons(view)),
  );
}

function stepOf(view) {
  if (view.questions?.some((question) => question.blocks)) return { title: t("step_question") };
  const phase = phaseOf(view);
  if (phase === "hold") return { title: t("step_hold"), hint: t("sub_hold", { why: view.hold }) };
  if (phase === "betting" && view.players.length === 0) return { title: t("step_no_players"), hint: t("step_no_players_hint") };
  if (phase === "betting") return { title: t("step_betting"), hint: t("step_betting_hint", { count: view.staked }) };
  if (phase === "dealing") return { title: t(view.dealt.length ? "step_dealing" : "step_dealing_first"), hint: t("step_dealing_hint") };
  if (phase === "settled") return { title: t("step_settled"), hint: t("step_settled_hint", { suit: suitName(view.result.cut), card: cardName(view.result.last), won: number(view.settled.reduce((sum, line) => sum + line.won, 0)) }) };
  return { title: view.prompt };
}

/** The first of these that is possible is the main button, also for the key N. */
function mainActions(view) {
  const found = ["release", "no-more-bets", "new-round"].filter((verb) => can(view, verb)).map((verb) => ({ id: verb, label: t(`do_${verb}`), run: () => order({ do: verb }) }));
  if (local.demo && can(view, "deal")) found.unshift({ id: "demo-deal", label: t("demo_deal"), run: () => demo({ do: "deal" }) });
  if (local.demo && can(view, "new-round")) found.unshift({ id: "demo-gather", label: t("demo_gather"), run: () => demo({ do: "gather" }) });
  return found;
}

const mainButtons = (view) =>
  mainActions(view).map((action, i) => h("button", { type: "button", key: action.id, class: i ? "" : "primary", "aria-disabled": local.busy.has(action.id) ? "true" : null, onclick: action.run }, action.label, i === 0 && h("kbd", {}, "N")));

function secondButtons(view) {
  return [
    can(view, "burn") && h("span", { class: "burn", key: "burn" }, h("input", { type: "number", min: 1, max: 20, value: local.burn, "aria-label": t("burn_how_many"), oninput: (event) => (local.burn = Number(event.target.value)) }), button("burn", t("do_burn"), () => order({ do: "burn", count: local.burn }))),
    button("undo", view.undo ? t("undo_what", { what: said(view.undo) }) : t("nothing_to_undo"), () => order({ do: "undo" }), !can(view, "undo"), "U"),
    can(view, "redo") && button("redo", t("redo_what", { what: said(view.redo) }), () => order({ do: "redo" }), false, "R"),
    can(view, "hold") && button("hold", t("do_hold"), () => order({ do: "hold" }), false, "H"),
  ];
}

const said = (what) => (what.length > 40 ? `${what.slice(0, 39)}…` : what);

const button = (id, label, run, off = false, key = null) =>
  h("button", { type: "button", key: id, class: `do-${id}`, "aria-disabled": off || local.busy.has(id) ? "true" : null, onclick: () => !off && run() }, label, key && h("kbd", {}, key));

// ---- questions

function questions(view) {
  let key = 0;
  return (view.questions || []).map((question) =>
    h(
      "section",
      { class: `question${question.blocks ? " blocks" : ""}`, key: `q${question.id}`, role: "alert" },
      question.card && question.card in CARD_SET && card(question.card),
      h("div", {}, h("p", { class: "big" }, question.text), h("div", { class: "actions" }, question.choices.map((choice) => ((key += 1), choiceButton(question, choice, key))))),
    ),
  );
}

const CARD_SET = Object.fromEntries(data.cards.map((id) => [id, true]));

const choiceButton = (question, choice, key) =>
  h("button", { type: "button", key: choice.id, class: key === 1 ? "primary" : "", "aria-disabled": local.busy.has(question.id) ? "true" : null, onclick: () => decide(question, choice) }, choice.label, key < 10 && h("kbd", {}, key));

const decide = (question, choice) => act(question.id, () => answer(question.id, choice.id));

// ---- the table in small

const board = (view) => h("div", { class: "board", key: "board" }, stacks(view, { odds: false, bets: false }));

// ---- tabs

function tabs() {
  return h("div", { class: "tabs", role: "tablist", key: "tabs", onkeydown: tabKeys }, TABS.map((tab) => h("button", { type: "button", role: "tab", key: tab, id: `tab-${tab}`, "aria-selected": String(local.tab === tab), "aria-controls": "tab", tabindex: local.tab === tab ? 0 : -1, onclick: () => show(tab) }, t(`tab_${tab}`))));
}

function show(tab) {
  local.tab = tab;
  redraw();
}

function tabKeys(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  show(TABS[(TABS.indexOf(local.tab) + step + TABS.length) % TABS.length]);
  document.getElementById(`tab-${local.tab}`).focus();
  event.preventDefault();
}

function betsTab(view) {
  const player = view.players.find((one) => one.name === local.player) || view.players[0];
  const open = can(view, "bet");
  return [
    h("div", { class: "who-tabs", key: "who", role: "group", "aria-label": t("bets_for") }, view.players.map((one) => h("button", { type: "button", key: one.seat, class: "player-button", "aria-pressed": String(one === player), onclick: () => ((local.player = one.name), redraw()) }, h("span", { class: "seat" }, one.seat), h("span", { class: "who" }, one.name), h("b", {}, number(one.coins))))),
    view.players.length === 0 && h("p", { class: "hint", key: "none" }, t("no_players")),
    !open && h("p", { class: "hint", key: "closed" }, t("bets_closed")),
    open && player && chips(local.choice, redraw),
    open && player && felt(view, local.choice, { player: player.name, amount: local.choice.amount, pending: bets.pending, enabled: true, onBet: (on) => bets.bet(player.name, on, local.choice.amount), redraw }),
    betList(view, open),
  ];
}

const betList = (view, open) =>
  h("ul", { class: "bet-list", key: "list" }, view.bets.map((bet) => h("li", { key: `${bet.player}/${bet.on}` }, h("span", {}, h("strong", {}, bet.player), " ", spotName(bet.on), h("small", {}, t("pays", { price: bet.pays }))), h("b", {}, number(bet.amount)), open && h("button", { type: "button", class: "quiet-button", "aria-label": `${bet.player}: ${t("take_back_what", { amount: bet.amount, spot: spotName(bet.on) })}`, "aria-disabled": bets.pending.has(bet.on) ? "true" : null, onclick: () => bets.takeBack(bet.player, bet.on, bet.amount) }, t("take_back")))));

function cardsTab(view) {
  const open = can(view, "deal");
  const suits = [...new Set(data.cards.map((id) => id[0]))];
  return [
    h("p", { class: "hint", key: "hint" }, open ? t("cards_hint") : t("cards_closed")),
    h(
      "div",
      { class: "card-grid", key: "grid" },
      suits.map((suit) =>
        h(
          "div",
          { class: "card-row", key: suit, "data-suit": suit },
          h("p", { class: "felt-name" }, suitEmblem(suit), h("span", {}, suitName(suit))),
          ["D", "N"].map((half) => h("div", { class: "half-row", key: half }, data.cards.filter((id) => id[0] === suit && id[1] === half).map((id) => cardButton(id, view, open)))),
        ),
      ),
    ),
  ];
}

function cardButton(id, view, open) {
  const off = !open || view.dealt.includes(id);
  return h("button", { type: "button", key: id, class: `card-button${view.dealt.includes(id) ? " seen" : ""}`, "aria-label": cardName(id), "aria-disabled": off || local.busy.has("deal") ? "true" : null, onclick: () => !off && order({ do: "deal", card: id }) }, card(id, { "aria-hidden": "true", role: null, "aria-label": null }));
}

/** What the demo's house is about to do. */
function demoLine(state) {
  if (state.betting_left_s != null) return t("demo_closes", { text: state.text, count: Math.ceil(state.betting_left_s) });
  return state.text || "";
}

function demoTab() {
  const state = local.demo || {};
  const mischief = state.mischief || [];
  return [
    h("h2", { key: "title" }, t("demo_title")),
    h("p", { class: "hint", key: "hint" }, t("demo_hint")),
    h("label", { class: "switch", key: "auto" }, h("input", { type: "checkbox", role: "switch", checked: Boolean(state.auto), onchange: (event) => demo({ do: "auto", on: event.target.checked }) }), h("span", {}, t("demo_auto"))),
    h("div", { class: "actions", key: "do" }, button("demo-deal", t("demo_deal"), () => demo({ do: "deal" })), button("demo-gather", t("demo_gather"), () => demo({ do: "gather" }))),
    mischief.length > 0 && h("h3", { key: "mt" }, t("demo_mischief")),
    h("div", { class: "actions", key: "mischief" }, mischief.map(({ kind, label }) => button(`demo-${kind}`, label, () => demo({ do: "mischief", kind })))),
  ];
}

const demo = (body) =>
  act(`demo-${body.kind || body.do}`, async () => {
    local.demo = await post("/dealer/demo", body, {}, 0);
  });

const logTab = (view) => [
  h("ol", { class: "log", key: "log" }, [...view.log].reverse().map((line, i) => h("li", { key: `${line.seq}/${i}` }, h("time", {}, clock(line.at)), h("span", { class: "tag" }, line.source), h("span", {}, line.text)))),
  h("a", { class: "button", key: "all", href: "/history/log" }, t("log_all")),
];

const BODIES = {
  bets: betsTab,
  cards: cardsTab,
  players: (view) => playersTab(view, { act, order, can, busy: local.busy }),
  camera: (view) => cameraTab(view),
  demo: demoTab,
  log: logTab,
};

// ---- keyboard

const KEYS = [
  ["N", "key_next"],
  ["1 – 9", "key_answer"],
  ["U", "key_undo"],
  ["R", "key_redo"],
  ["H", "key_hold"],
  ["B C P V L", "key_tabs"],
  ["?", "key_help"],
  ["Esc", "key_close"],
];
const TAB_KEYS = { b: "bets", c: "cards", p: "players", v: "camera", l: "log" };

const help = () => dialog.open(t("shortcuts"), () => h("dl", { class: "keys" }, KEYS.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, t(what))])));

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.matches("input, textarea, select")) return;
  const { view } = page;
  const key = event.key.toLowerCase();
  if (key === "?") return dialog.isOpen() ? dialog.close() : help();
  if (dialog.isOpen()) return;
  if (/^[1-9]$/.test(key)) answerByKey(view, Number(key));
  else if (key === "n") mainActions(view)[0]?.run();
  else if (key === "u" && can(view, "undo")) order({ do: "undo" });
  else if (key === "r" && can(view, "redo")) order({ do: "redo" });
  else if (key === "h" && (can(view, "hold") || can(view, "release"))) order({ do: can(view, "hold") ? "hold" : "release" });
  else if (TAB_KEYS[key]) show(TAB_KEYS[key]);
  else return;
  event.preventDefault();
}

function answerByKey(view, key) {
  const all = (view.questions || []).flatMap((question) => question.choices.map((choice) => [question, choice]));
  if (all[key - 1]) decide(...all[key - 1]);
}

async function logOut() {
  await post("/dealer/logout", {}).catch(() => null);
  location.href = "/";
}

document.addEventListener("keydown", onKey);
page = start("dealer", draw, { onView: (view, before) => view.log?.at(-1)?.seq !== before.log?.at(-1)?.seq && announce(view.log?.at(-1)?.text) });

async function askDemo() {
  const now = document.hidden ? null : await fetch("/dealer/demo").catch(() => null);
  if (!now?.ok) return;
  local.demo = await now.json();
  redraw();
}
if (data.demo) setInterval(askDemo, DEMO_MS);
