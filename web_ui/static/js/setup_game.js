// Set-up: what is played, and what the house keeps under each rule.

import { labelled, newAmount, numberIn, refusal } from "./amount_field.js";
import { h } from "./dom.js";
import { has, t } from "./page.js";
import { limitsPart, loadLimits, proposal } from "./setup_limits.js";
import { ask, local, redraw, set, value } from "./setup_state.js";

const MOST_SHOWN = 0.8;

let edges = null;

const SWITCHES = ["table.practice", "table.wait_for_payments"].map((key) => ({ key, kind: "switch" }));

/** Of responsible play, whatever is played. */
const PLAY = [
  { key: "play.most_brought", kind: "number", least: 0, needed: true, coins: true },
  { key: "play.remind_minutes", kind: "number", least: 0, needed: true, coins: false },
];

/** The text for a key, or what is said without one: of a game that brings no words of its own. */
const text = (key, otherwise) => (has(key) ? t(key) : otherwise);

/** What the house says of an installed game: its title, and the fields of its settings. */
const about = (id) => local.state?.games.find((one) => one.id === id);
const fieldsOf = (id) => about(id)?.fields ?? [];
const hasHouse = (fields) => fields.some((field) => field.key === "table.bank");
const ofKind = (fields, kind) => fields.filter((field) => field.kind === kind);

export function game() {
  const played = value("table.game");
  const sets = setByFloor(played);
  const fields = fieldsOf(played).filter((field) => !(field.key in sets));
  const ids = local.state.games.map((one) => one.id);
  return [
    choices(
      "table.game",
      ids,
      (id) => text(`game_${id}`, about(id).title),
      (id) => text(`about_${id}`, null),
    ),
    floorSets(sets),
    ofKind(fields, "choice").map(choice),
    h("div", { class: "fields", key: "numbers" }, [...ofKind(fields, "number"), ...PLAY].map(number)),
    hasHouse(fieldsOf(played)) && limitsPart(played),
    h("div", { class: "switches", key: "switches" }, [...ofKind(fields, "switch"), ...SWITCHES].map(toggle)),
    keeps(played),
  ];
}

/** What the house's floor sets for a game in place of the table's own settings, by key. */
const setByFloor = (played) => local.state.settings.floor[played] ?? {};

function floorSets(sets) {
  const lines = Object.entries(sets);
  if (!lines.length) return null;
  const said = (key, one) =>
    typeof one === "object" ? JSON.stringify(one) : text(`val_${name(key)}_${one}`, String(one));
  return h(
    "section",
    { class: "panel limits", key: "floor", role: "status" },
    h("h3", {}, t("floor_sets")),
    h(
      "ul",
      {},
      lines.map(([key, { value: one, version, who }]) =>
        h("li", { key }, t("floor_sets_one", { what: titleOf(key), value: said(key, one), n: version, who })),
      ),
    ),
    h("p", { class: "hint" }, t("floor_sets_hint")),
  );
}

/** One of a few values, each with the edge that the house has with it. */
function choice(field) {
  const label = (one) => text(`val_${name(field.key)}_${one}`, one);
  return choices(field.key, field.of, label, (one) => edgeOf(field, one));
}

const name = (key) => key.replaceAll(".", "_");

/** What a setting is called. */
export function titleOf(key) {
  const fields = local.state.games.flatMap((one) => one.fields);
  return text(`key_${name(key)}`, fields.find((field) => field.key === key)?.title ?? key);
}

function choices(key, of, label, hint) {
  return h(
    "fieldset",
    { class: "choices", key },
    h("legend", {}, titleOf(key)),
    of.map((one) =>
      h(
        "label",
        { class: "choice", key: one },
        h("input", {
          type: "radio",
          name: key,
          value: one,
          checked: value(key) === one,
          onchange: () => choose(key, one),
        }),
        h("b", {}, label(one)),
        hint(one) && h("small", {}, hint(one)),
      ),
    ),
  );
}

function choose(key, one) {
  set(key, one);
  loadEdges();
  loadLimits();
}

const typed = new Map();

/** The field of a setting; it shows what the file has, and what another step has set, such as a shoe's decks. */
function amountOf({ key, least, coins, needed }) {
  if (!typed.has(key)) typed.set(key, newAmount(value(key) ?? "", { least, coins, optional: !needed }));
  const amount = typed.get(key);
  if (!refusal(amount) && numberIn(amount) !== (value(key) ?? null)) amount.text = String(value(key) ?? "");
  return amount;
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
  return labelled(titleOf(key), amount, changed, { placeholder: proposal(key) ?? (needed ? null : t("off")) });
}

/** Why a number of the chosen game cannot be saved, with its name; null if all can. */
export function refusedLimit() {
  const own = local.state
    ? fieldsOf(value("table.game")).filter((one) => !(one.key in setByFloor(value("table.game"))))
    : [];
  const numbers = local.state ? [...ofKind(own, "number"), ...PLAY] : [];
  const refused = numbers.find((field) => refusal(amountOf(field)));
  return refused ? `${titleOf(refused.key)}: ${refusal(amountOf(refused))}` : null;
}

export function toggle({ key }) {
  const hint = has(`about_${name(key)}`) && t(`about_${name(key)}`);
  return h(
    "label",
    { class: "switch", key },
    h("input", {
      type: "checkbox",
      role: "switch",
      checked: Boolean(value(key)),
      onchange: (event) => set(key, event.target.checked),
    }),
    h("span", {}, titleOf(key), hint && h("small", {}, hint)),
  );
}

// ---- the house's edge

const percent = (share) =>
  (100 * share).toLocaleString(document.documentElement.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const span = (least, most) =>
  percent(least) === percent(most) ? `${percent(least)} %` : `${percent(least)} – ${percent(most)} %`;

function edgeOf(field, one) {
  const found = edges?.choices[field.option]?.find((choice) => choice.value === one);
  return found && found.least !== null ? t("edge_span", { span: span(found.least, found.most) }) : null;
}

function keeps(played) {
  if (!edges || edges.game !== played) return null;
  if (edges.now.length === 0)
    return h("p", { class: "hint", key: "no-edge" }, t(hasHouse(fieldsOf(played)) ? "edge_unknown" : "edge_none"));
  return h(
    "section",
    { class: "edge-list", key: "edges", "aria-live": "polite" },
    h("h3", {}, t("edge_title")),
    h(
      "ul",
      { class: "edges" },
      edges.now.map(({ family, least, most }) =>
        h(
          "li",
          { key: family },
          h("span", {}, text(`fam_${family}`, family)),
          h(
            "span",
            { class: "bar-of", "aria-hidden": "true" },
            h("i", { style: { width: `${Math.max(0, Math.min(100, (100 * most) / MOST_SHOWN))}%` } }),
          ),
          h("b", {}, span(least, most)),
        ),
      ),
    ),
  );
}

/** Ask for the edges of what is chosen now. */
export async function loadEdges() {
  const played = value("table.game");
  const options = Object.fromEntries(
    fieldsOf(played)
      .filter((field) => field.option)
      .map((field) => [field.option, value(field.key)]),
  );
  const found = await ask("/edges", { game: played, options }).catch(() => null);
  if (found && played === value("table.game")) {
    edges = { ...found, game: played };
    if (local.state) redraw();
  }
}
