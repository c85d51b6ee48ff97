// The pit's board: every table as it is now, those that need somebody first. Asks four times a second for what has
// changed.

import { announce, h, render } from "./dom.js";
import { clock, decimals, named, number, t } from "./page.js";

const EVERY_MS = 150;
const ORDER_EVERY_MS = 1000;
const LATE_MS = 5000;
const ORDER_TRIES = 70;
const SIGNS = {
  dispute: "‼",
  incident: "!",
  hold: "⏸",
  question: "?",
  offline: "✕",
  camera: "◉",
  panel: "▣",
  journal: "!",
  disk: "!",
  slow: "…",
  behind: "…",
  prices: "¤",
};

const board = document.getElementById("board");
const trouble = document.getElementById("board-trouble");
const summary = document.getElementById("board-summary");
const tables = new Map();
let places = [];
let version = 0;
let clockOff = 0;
let heardAt = Date.now();
let urgent = new Set();

const language = document.documentElement.lang || "en";
const signed = (value) => (value > 0 ? `+${number(value)}` : number(value));
const tenths = (value) => decimals(value, 1).replace("-", "−");
const time = (at) => clock(at, false);

/** "21:03 (4 min ago)"; an old one with its date. */
function since(at) {
  const minutes = Math.max(0, Math.floor((Date.now() + clockOff - Date.parse(at)) / 60000));
  if (minutes >= 24 * 60) return new Date(at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  const said = { time: time(at), hours: Math.floor(minutes / 60), minutes: minutes % 60 };
  if (minutes === 0) return t("f_ago_now", said);
  return minutes >= 60 ? t("f_ago_hours", said) : t("f_ago", said);
}

const fact = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", {}, ...value));

const NEED_VALUES = {
  incident: (line) => ({ count: line.incidents }),
  hold: (line) => ({ why: line.picture.hold }),
  behind: (line) => ({ n: line.behind }),
  prices: (line) => ({ why: line.picture.prices_refused }),
};

function needText(line, need) {
  const text = t(`f_need_${need.kind}`, NEED_VALUES[need.kind]?.(line) ?? {});
  if (need.kind === "camera") return `${text}: ${t(`f_health_${line.picture.camera}`)}`;
  const from = need.kind === "question" ? line.picture.asked_since : need.kind === "offline" ? line.heard : null;
  return from ? `${text} ${t("f_since", { when: since(from) })}` : text;
}

function needs(line) {
  if (!line.needs.length) return h("p", { class: "floor-calm" }, line.epoch ? `✓ ${t("f_calm")}` : t("f_not_joined"));
  const one = (need) =>
    h(
      "li",
      { class: `floor-need ${need.kind}` },
      h("span", { "aria-hidden": "true" }, SIGNS[need.kind]),
      needText(line, need),
    );
  return h("ul", { class: "floor-needs" }, line.needs.map(one));
}

function win(line) {
  if (!line.takings) return fact(t("f_win"), line.epoch ? t("f_counting") : number(0));
  const { win: won, bought } = line.takings;
  const hold = bought > 0 ? ` · ${t("f_hold", { share: tenths((100 * won) / bought) })}` : "";
  return fact(t("f_win"), h("strong", {}, signed(won)), hold);
}

function expected(line) {
  const told = line.expected;
  if (!told?.bets) return null;
  const range = { expected: tenths(told.expected), error: tenths(told.error) };
  const isUnusual = Math.abs(told.won - told.expected) > told.error;
  return fact(
    t("f_expected"),
    h("strong", { class: isUnusual ? "error" : "" }, signed(told.won)),
    ` · ${t("f_expected_board", range)}`,
  );
}

function prices({ prices: told, online }) {
  if (!told) return null;
  const runs = told.runs ? t("f_version", { n: told.runs }) : t("f_own_prices");
  const next = told.old && h("strong", {}, ` · ${t(online ? "f_next_round" : "f_when_back", { n: told.wanted })}`);
  return fact(t("f_prices"), runs, next);
}

function facts(line) {
  const { picture } = line;
  const shown = picture && [
    fact(
      t("f_nav_players"),
      picture.players.length
        ? picture.players.map((one) => `${one.name} ${number(one.coins + one.staked)}`).join(", ")
        : t("f_nobody"),
    ),
    fact(t("f_in_play"), number(picture.in_play)),
    fact(t("f_on_table"), number(picture.on_table)),
  ];
  const lacks = line.behind ? t("f_entries", { count: line.behind }) : t("f_nothing");
  return h(
    "dl",
    { class: "floor-facts" },
    fact(t("f_on_duty"), line.dealer || t("f_nobody")),
    shown,
    win(line),
    expected(line),
    prices(line),
    fact(t("f_lacks"), line.behind === null ? t("f_unknown") : lacks),
  );
}

function state(line) {
  const { picture } = line;
  if (!picture) return line.epoch ? t("f_no_picture_yet") : "";
  const phase = named("phase", picture.phase);
  const was = line.online ? "" : ` (${t("f_as_it_was_short")})`;
  return `${picture.title} · ${t("f_round", { n: picture.rounds + 1 })} · ${phase}${was}`;
}

function machine(line) {
  const { picture } = line;
  if (!picture) return null;
  const told = { camera: t(`f_health_${picture.camera}`), panel: t(`f_health_${picture.panel}`) };
  return h("p", { class: "hint" }, t("f_machine", told));
}

const asked = new Map();

function say(line, text) {
  asked.set(line.id, text);
  draw();
}

async function answer(asking) {
  const told = await asking;
  if (!told.ok) throw new Error(told.statusText);
  return told.json();
}

/** Ask a table to hold or to go on; it is told within two seconds, and says what came of it. */
async function askTable(line, command) {
  say(line, t(`f_ask_${command}`));
  try {
    const body = new URLSearchParams({ token: board.dataset.token, command });
    const { order: asking } = await answer(
      fetch(`/tables/${line.id}/order`, { method: "POST", body, redirect: "error" }),
    );
    for (let tries = 0; tries < ORDER_TRIES; tries++) {
      await new Promise((done) => setTimeout(done, ORDER_EVERY_MS));
      const told = await answer(fetch(`/orders/${asking}.json`, { cache: "no-store", redirect: "error" }));
      if (told.answered) return say(line, told.refused ? t("f_refused", { why: told.refused }) : t("f_done"));
    }
    say(line, t("f_no_answer"));
  } catch (error) {
    say(line, t("f_went_wrong", { why: error.message }));
  }
}

function button(line) {
  if (!board.dataset.token || !line.picture || !line.online) return null;
  const command = line.picture.hold ? "release" : "hold";
  const text = t(`f_do_${command}`);
  const press = () => askTable(line, command);
  return h(
    "p",
    { class: "floor-order" },
    h("button", { type: "button", onclick: press, "aria-label": `${text}: ${line.name}` }, text),
    " ",
    h("span", { role: "status" }, asked.get(line.id)),
  );
}

const card = (line) =>
  h(
    "li",
    {
      key: line.id,
      class: `panel floor-table${line.needs.length ? ` needs ${line.needs[0].kind}` : ""}${line.online ? "" : " away"}`,
    },
    h(
      "h2",
      {},
      h("a", { href: `/tables/${line.id}` }, line.name),
      h("small", {}, t(line.online ? "f_online" : "f_offline")),
    ),
    h("p", { class: "floor-state" }, state(line)),
    needs(line),
    facts(line),
    machine(line),
    button(line),
  );

function draw() {
  const lines = places.map((id) => tables.get(id));
  const waiting = lines.filter((line) => line.needs.length);
  const calm = waiting.length ? t("f_board_need", { count: waiting.length }) : t("f_board_calm");
  render(summary, `${t("f_board_all", { count: lines.length })}, ${calm}`);
  render(board, lines.length ? lines.map(card) : h("li", { class: "empty" }, board.dataset.empty));
  const now = new Set(waiting.flatMap((line) => line.needs.map((need) => `${line.name}: ${needText(line, need)}`)));
  const fresh = [...now].filter((one) => !urgent.has(one));
  if (version && fresh.length) announce(fresh.slice(0, 3).join(". "));
  urgent = now;
}

function sayLate() {
  const late = Date.now() - heardAt > LATE_MS;
  trouble.hidden = !late;
  if (late) render(trouble, t("f_late", { time: time(heardAt) }));
}

async function ask() {
  const began = performance.now();
  try {
    const answer = await fetch(`/board.json?since=${version}`, { cache: "no-store", redirect: "error" });
    if (answer.status === 401) return location.reload();
    if (!answer.ok) throw new Error(answer.statusText);
    const told = await answer.json();
    clockOff = Date.parse(told.now) - Date.now();
    heardAt = Date.now();
    for (const line of told.tables) tables.set(line.id, line);
    ({ order: places, version } = told);
    draw();
  } catch {
    // said below; asked again in a moment
  }
  sayLate();
  setTimeout(ask, EVERY_MS - (performance.now() - began));
}

ask();
