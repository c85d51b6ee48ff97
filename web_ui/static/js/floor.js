// The pit's board: every table as it is now, those that need somebody first. Asks for what has changed four times a second.

import { announce, h, render } from "./dom.js";

const EVERY_MS = 250;
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
};

const board = document.getElementById("board");
const trouble = document.getElementById("board-trouble");
const summary = document.getElementById("board-summary");
const tables = new Map();
let order = [];
let version = 0;
let clockOff = 0;
let heardAt = Date.now();
let urgent = new Set();

const number = (value) => value.toLocaleString("en");
const signed = (value) => (value > 0 ? `+${number(value)}` : number(value).replace("-", "−"));
const time = (at) => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

/** "21:03, 4 min ago"; an old one with its date. */
function since(at) {
  const minutes = Math.max(0, Math.floor((Date.now() + clockOff - Date.parse(at)) / 60000));
  if (minutes >= 24 * 60) return new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  return `${time(at)}, ${minutes >= 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60}` : minutes} min ago`;
}

const fact = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", {}, ...value));

function needText(line, need) {
  if (need.kind === "question") return `${need.text} since ${since(line.picture.asked_since)}`;
  if (need.kind === "offline") return line.heard ? `${need.text} since ${since(line.heard)}` : need.text;
  if (need.kind === "behind") return `${need.text} by ${number(line.behind)} entries`;
  if (need.kind === "incident") return line.incidents === 1 ? "1 open incident" : `${line.incidents} open incidents`;
  return need.text;
}

function needs(line) {
  if (!line.needs.length) return h("p", { class: "floor-calm" }, line.epoch ? "✓ Nothing to do" : "Not joined yet");
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
  if (!line.takings) return fact("Win of the house", "being counted");
  const { win: won, bought } = line.takings;
  const hold = bought > 0 ? ` · hold ${((100 * won) / bought).toFixed(1).replace("-", "−")} %` : "";
  return fact("Win of the house", h("strong", {}, signed(won)), hold);
}

function facts(line) {
  const { picture } = line;
  const shown = picture && [
    fact(
      "Players",
      picture.players.length
        ? picture.players.map((one) => `${one.name} ${number(one.coins + one.staked)}`).join(", ")
        : "nobody",
    ),
    fact("In play", number(picture.in_play)),
    fact("On the table", number(picture.on_table)),
  ];
  const behind = line.behind === null ? "unknown" : line.behind ? `${number(line.behind)} entries` : "nothing";
  return h("dl", { class: "floor-facts" }, shown, win(line), fact("Floor lacks", behind));
}

function state(line) {
  const { picture } = line;
  if (!picture) return line.epoch ? "No live picture" : "";
  const phase = picture.phase.replaceAll("-", " ");
  return `${picture.title} · round ${number(picture.rounds + 1)} · ${phase}${line.online ? "" : " (as it was)"}`;
}

const health = { ok: "ok", none: "none" };

function machine(line) {
  const { picture } = line;
  if (!picture) return null;
  return h("p", { class: "hint" }, `Camera ${health[picture.camera] || picture.camera} · panel ${picture.panel}`);
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
async function order(line, command) {
  say(line, `Asked to ${command === "hold" ? "hold" : "go on"} …`);
  try {
    const body = new URLSearchParams({ token: board.dataset.token, command });
    const { order: number } = await answer(
      fetch(`/tables/${line.id}/order`, { method: "POST", body, redirect: "error" }),
    );
    for (let tries = 0; tries < ORDER_TRIES; tries++) {
      await new Promise((done) => setTimeout(done, ORDER_EVERY_MS));
      const told = await answer(fetch(`/orders/${number}.json`, { cache: "no-store", redirect: "error" }));
      if (told.answered) return say(line, told.refused ? `Refused: ${told.refused}` : "Done.");
    }
    say(line, "The table did not answer.");
  } catch (error) {
    say(line, `That did not work: ${error.message}`);
  }
}

function button(line) {
  if (!board.dataset.token || !line.picture || !line.online) return null;
  const command = line.picture.hold ? "release" : "hold";
  const text = command === "hold" ? "Hold" : "Go on";
  const press = () => order(line, command);
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
    h("h3", {}, h("span", {}, line.name), h("small", {}, line.online ? "online" : "offline")),
    h("p", { class: "floor-state" }, state(line)),
    needs(line),
    facts(line),
    machine(line),
    button(line),
  );

function draw() {
  const lines = order.map((id) => tables.get(id));
  const waiting = lines.filter((line) => line.needs.length);
  render(
    summary,
    `${number(lines.length)} tables, ${waiting.length ? `${number(waiting.length)} need somebody` : "none needs anybody"}`,
  );
  render(board, lines.length ? lines.map(card) : h("li", { class: "empty" }, board.dataset.empty));
  const now = new Set(waiting.flatMap((line) => line.needs.map((need) => `${line.name}: ${need.text}`)));
  const fresh = [...now].filter((one) => !urgent.has(one));
  if (version && fresh.length) announce(fresh.slice(0, 3).join(". "));
  urgent = now;
}

function sayLate() {
  const late = Date.now() - heardAt > LATE_MS;
  trouble.hidden = !late;
  if (late) render(trouble, `The floor does not answer. This is how it was at ${time(heardAt)}.`);
}

async function ask() {
  try {
    const answer = await fetch(`/board.json?since=${version}`, { cache: "no-store", redirect: "error" });
    if (answer.status === 401) return location.reload();
    if (!answer.ok) throw new Error(answer.statusText);
    const told = await answer.json();
    clockOff = Date.parse(told.now) - Date.now();
    heardAt = Date.now();
    for (const line of told.tables) tables.set(line.id, line);
    ({ order, version } = told);
    draw();
  } catch {
    // said below; asked again in a moment
  }
  sayLate();
  setTimeout(ask, EVERY_MS);
}

ask();
