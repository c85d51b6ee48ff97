// Verbs of a game as buttons and forms: the server says which fields a verb has.

import { h } from "./dom.js";
import { labelled, newAmount, numberIn, refusal } from "./amount_field.js";
import { data, has, named, t } from "./page.js";
import { spotName } from "./plain.js";
import { toast } from "./shell.js";

const NOTHING = { value: "", label: "–" };
const COINS = new Set(["amount", "coins"]);
const typed = new Map();

/** What a verb is called. */
export const verbName = (verb) => named("do", verb);

/** The verbs that can be given now and need nothing else than to be pressed, as buttons' ids and labels. */
export const plainVerbs = (view) =>
  view.expected
    .filter((verb) => data.verbs[verb]?.every((field) => field.optional))
    .map((verb) => ({ verb, label: verbName(verb) }));

/**
 * A form for each verb that can be given now and has fields.
 * @param {object} view the table
 * @param {{give: function(object): void, redraw: function, skip?: string[]}} use `skip` are verbs that are offered
 *   elsewhere
 */
export const verbForms = (view, use) =>
  view.expected
    .filter((verb) => data.verbs[verb]?.length > 0 && !use.skip?.includes(verb))
    .map((verb) => verbForm(verb, view, use));

function verbForm(verb, view, use) {
  const fields = data.verbs[verb];
  const send = (event) => {
    event.preventDefault();
    const why = fields.map((field) => whyNot(verb, field, view)).find(Boolean);
    if (why) return toast(why, "error");
    return use.give(recordOf(verb, fields, view));
  };
  const shown = fields.map((field) => input(verb, field, view, use));
  return h(
    "form",
    { class: "verb-form", key: verb, "data-verb": verb, onsubmit: send },
    shown,
    h("button", { type: "submit", class: "primary" }, verbName(verb)),
  );
}

function recordOf(verb, fields, view) {
  const record = { do: verb };
  for (const field of fields) {
    const value = valueIn(verb, field, view);
    if (value !== undefined) record[field.name] = value;
  }
  return record;
}

/** What somebody has typed into a field, kept between drawings. */
function holder(verb, field) {
  const key = `${verb}.${field.name}`;
  if (!typed.has(key)) typed.set(key, isNumber(field) ? newAmount("", numberRules(field)) : { text: "" });
  return typed.get(key);
}

const isNumber = (field) => field.kind === "number" || COINS.has(field.name);

// What nobody has typed yet is complained of when the form is sent, not before.
function numberRules({ name }) {
  const coins = COINS.has(name);
  return { coins, least: coins ? 1 : 0, optional: true };
}

function valueIn(verb, field, view) {
  const held = holder(verb, field);
  if (isNumber(field)) return numberIn(held) ?? undefined;
  if (field.kind === "flag") return held.text === "yes";
  const text = held.text.trim() || choicesOf(field, view)?.[0]?.value || "";
  if (text === "") return undefined;
  return field.kind === "any" && /^[0-9]{1,15}$/.test(text) ? Number(text) : text; // the rules say what is wrong
}

function whyNot(verb, field, view) {
  const held = holder(verb, field);
  if (isNumber(field)) return refusal({ ...held, optional: field.optional });
  const isGiven = field.optional || field.kind === "flag" || valueIn(verb, field, view) !== undefined;
  return isGiven ? null : t("field_missing", { field: named("field", field.name) });
}

function input(verb, field, view, { redraw }) {
  const held = holder(verb, field);
  const label = named("field", field.name);
  if (isNumber(field)) return labelled(label, held, redraw, { name: field.name });
  const choices = choicesOf(field, view);
  const props = { name: field.name, value: held.text, oninput: (event) => (held.text = event.target.value) };
  if (field.kind === "flag") {
    const tick = (event) => (held.text = event.target.checked ? "yes" : "");
    return h("label", { key: field.name }, h("input", { type: "checkbox", name: field.name, onchange: tick }), label);
  }
  const example = `example_${field.name}`;
  if (has(example)) props.placeholder = t(example);
  const typing = { ...props, maxlength: 60, autocomplete: "off", required: !field.optional };
  if (!choices) return h("label", { key: field.name }, label, h("input", typing));
  const pick = (one) => h("option", { key: one.value, value: one.value, selected: one.value === held.text }, one.label);
  const select = h(
    "select",
    { name: field.name, required: !field.optional, onchange: props.oninput },
    choices.map(pick),
  );
  return h("label", { key: field.name }, label, select);
}

/** Whose coins, and on what, is never guessed: of several choices none is made before somebody makes it. */
const chosen = (all) => (all.length > 1 ? [NOTHING, ...all] : all);

/** What a field may be: a player at the table, a spot of the layout; null where anything may be typed. */
function choicesOf(field, view) {
  if (field.name === "player" && view.players.length > 0) {
    const all = view.players.map(({ name }) => ({ value: name, label: name }));
    return field.optional ? [NOTHING, ...all] : chosen(all);
  }
  if (field.name === "on" && view.spots && !Array.isArray(view.spots))
    return chosen(
      Object.entries(view.spots).map(([on, price]) => ({
        value: on,
        label: `${spotName(on)} · ${t("pays", { price })}`,
      })),
    );
  return null;
}
