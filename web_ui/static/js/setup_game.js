// Set-up: what is played, and what the house keeps under each rule.

import { labelled, newAmount, numberIn, refusal } from "./amount_field.js";
import { h } from "./dom.js";
import { has, t } from "./page.js";
import { limitsPart, loadLimits, proposal } from "./setup_limits.js";
import { ask, local, redraw, set, value } from "./setup.js";

const GAMES = ["roche", "rochi", "captains", "rugen-house", "rugen-street", "rugen-capital"];
const BANK = { key: "table.bank", kind: "number", least: 0, needed: true };
const LIMITS = [BANK, ...["table.min", "table.max", "table.cap"].map((key) => ({ key, kind: "number", least: 1 }))];
const DECK = { key: "table.deck", kind: "choice", of: ["full", "red"], option: "deck" };
const TIMER = { key: "table.turn_seconds", kind: "number", least: 5, coins: false };
const FIELDS = {
  roche: [{ key: "table.layout", kind: "choice", of: ["basic", "grand"], option: "layout" }, DECK, ...LIMITS],
  rochi: [DECK, ...["join_fee", "credit", "locked_discards", "marker"].map((key) => ({ key: `rochi.${key}`, kind: "switch" })), { key: "table.chances", kind: "switch" }, TIMER],
  captains: [DECK, { key: "table.chances", kind: "switch" }, TIMER],
  "rugen-house": [
    { key: "rugen-house.chain_day_night", kind: "choice", of: ["all", "own"], option: "chain_day_night" },
    { key: "rugen-house.better_half", kind: "choice", of: ["day", "night"], option: "better_half" },
    { key: "rugen-house.late_chain", kind: "switch" },
    ...LIMITS,
  ],
  "rugen-street": [{ key: "rugen-street.minimum", kind: "number", least: 1, needed: true, coins: false }],
  "rugen-capital": [{ key: "rugen-capital.schedule", kind: "choice", of: ["low", "high"], option: "schedule" }, ...LIMITS],
};
const MOST_SHOWN = 0.8;

let edges = null;

export function game() {
  const played = value("table.game");
  const fields = FIELDS[played] || [];
  return [
    choices("table.game", GAMES, (name) => t(`game_${name}`), (name) => t(`about_${name}`)),
    fields.filter((field) => field.kind === "choice").map((field) => choices(field.key, field.of, (one) => t(`val_${name(field.key)}_${one}`), (one) => edgeOf(field, one))),
    h("div", { class: "fields", key: "numbers" }, fields.filter((field) => field.kind === "number").map(number)),
    fields.includes(BANK) && limitsPart(played),
    h("div", { class: "switches", key: "switches" }, [...fields.filter((field) => field.kind === "switch"), { key: "table.practice" }].map(toggle)),
    keeps(played),
  ];
}

const name = (key) => key.replaceAll(".", "_");

function choices(key, of, label, hint) {
  return h("fieldset", { class: "choices", key }, h("legend", {}, t(`key_${name(key)}`)), of.map((one) => h("label", { class: "choice", key: one }, h("input", { type: "radio", name: key, value: one, checked: value(key) === one, onchange: () => choose(key, one) }), h("b", {}, label(one)), hint(one) && h("small", {}, hint(one)))));
}

function choose(key, one) {
  set(key, one);
  loadEdges();
  loadLimits();
}

const typed = new Map();

/** The field of a setting; it begins with what the file has. */
function amountOf({ key, least, coins = true, needed = false }) {
  if (!typed.has(key)) typed.set(key, newAmount(value(key) ?? "", { least, coins, optional: !needed }));
  return typed.get(key);
}

/** A whole number, or nothing: then the default counts, which may be no limit. What is refused is not kept to be saved. */
function number(field) {
  const { key, needed } = field;
  const amount = amountOf(field);
  const changed = () => {
    if (!refusal(amount)) return choose(key, numberIn(amount));
    delete local.form[key];
    return redraw();
  };
  return labelled(t(`key_${name(key)}`), amount, changed, { placeholder: proposal(key) ?? (needed ? null : t("off")) });
}

/** Why a number of the chosen game cannot be saved, with its name; null if all can. */
export function refusedLimit() {
  const numbers = (FIELDS[value("table.game")] || []).filter((field) => field.kind === "number");
  const refused = numbers.find((field) => refusal(amountOf(field)));
  return refused ? `${t(`key_${name(refused.key)}`)}: ${refusal(amountOf(refused))}` : null;
}

export function toggle({ key }) {
  const hint = has(`about_${name(key)}`) && t(`about_${name(key)}`);
  return h("label", { class: "switch", key }, h("input", { type: "checkbox", role: "switch", checked: Boolean(value(key)), onchange: (event) => set(key, event.target.checked) }), h("span", {}, t(`key_${name(key)}`), hint && h("small", {}, hint)));
}

// ---- the house's edge

const percent = (share) => (100 * share).toLocaleString(document.documentElement.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const span = (least, most) => (percent(least) === percent(most) ? `${percent(least)} %` : `${percent(least)} – ${percent(most)} %`);

function edgeOf(field, one) {
  const found = edges?.choices[field.option]?.find((choice) => choice.value === one);
  return found && found.least !== null ? t("edge_span", { span: span(found.least, found.most) }) : null;
}

function keeps(played) {
  if (!edges || edges.game !== played) return null;
  if (edges.now.length === 0) return h("p", { class: "hint", key: "no-edge" }, t("edge_none"));
  return h(
    "section",
    { class: "edge-list", key: "edges", "aria-live": "polite" },
    h("h3", {}, t("edge_title")),
    h("ul", { class: "edges" }, edges.now.map(({ family, least, most }) => h("li", { key: family }, h("span", {}, t(`fam_${family}`)), h("span", { class: "bar-of", "aria-hidden": "true" }, h("i", { style: { width: `${Math.max(0, Math.min(100, (100 * most) / MOST_SHOWN))}%` } })), h("b", {}, span(least, most))))),
  );
}

/** Ask for the edges of what is chosen now. */
export async function loadEdges() {
  const played = value("table.game");
  const options = Object.fromEntries((FIELDS[played] || []).filter((field) => field.option).map((field) => [field.option, value(field.key)]));
  const found = await ask("/edges", { game: played, options }).catch(() => null);
  if (found && played === value("table.game")) {
    edges = { ...found, game: played };
    if (local.state) redraw();
  }
}
