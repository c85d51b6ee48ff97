// The dealer's sheet to change the game, and the plan of the night below it.

import { labelled, newAmount, numberIn, refusal } from "./amount_field.js";
import * as dialog from "./dialog.js";
import { h } from "./dom.js";
import { gameTitle } from "./night.js";
import { data, has, number, t } from "./page.js";
import { newKey, post, Refused } from "./send.js";
import { toast } from "./shell.js";

const API = "/api/v1/game";
const PATIENCE_MS = 20000;

const local = { told: null, game: null, changes: {}, amounts: new Map(), plan: [], error: null, isBusy: false };

/** Change the game: to one with settings, to a place in the plan, or back. The pages load themselves anew. */
export const changeGame = (what) =>
  post(`${API}?as=dealer`, what, { "Idempotency-Key": newKey(), "Table-Session": data.view.session }, 3, PATIENCE_MS);

/** Open the sheet. */
export async function chooseGame() {
  try {
    const answer = await fetch(API);
    const told = await answer.json();
    if (!answer.ok) throw new Refused(told.code, told.message);
    Object.assign(data.strings, told.texts);
    Object.assign(local, { told, game: null, changes: {}, amounts: new Map(), error: null, isBusy: false });
    const { lang } = document.documentElement;
    told.games.sort((one, other) => gameTitle(one.id).localeCompare(gameTitle(other.id), lang));
    local.plan = told.plan.map((row) => ({ ...row, id: newKey() }));
    dialog.open(t("change_game"), sheet);
  } catch (error) {
    toast(error instanceof Refused ? error.message : t("no_network"), "error");
  }
}

const text = (key, otherwise) => (has(key) ? t(key) : otherwise);
const name = (key) => key.replaceAll(".", "_");
const chosen = () => local.told.games.find((one) => one.id === local.game);

const sheet = () => [
  h("p", { class: "hint", key: "hint" }, t("change_hint")),
  local.told.refused && h("p", { class: "panel error", key: "refused", role: "alert" }, local.told.refused),
  local.told.takes_back && h("p", { class: "panel", key: "taken", role: "status" }, local.told.takes_back),
  back(),
  games(),
  buyIn(),
  settings(),
  local.error && h("p", { class: "panel error", key: "error", role: "alert" }, local.error),
  doIt(),
  plan(),
];

function back() {
  const { back: game } = local.told;
  return (
    game &&
    h(
      "section",
      { class: "change-back", key: "back" },
      h("p", {}, t("change_back_hint")),
      h("button", { type: "button", onclick: () => go({ back: true }) }, t("change_back", { game: gameTitle(game) })),
    )
  );
}

const games = () =>
  h(
    "fieldset",
    { class: "choices", key: "games" },
    h("legend", {}, t("change_which")),
    local.told.games.map((one) =>
      h(
        "label",
        { class: "choice", key: one.id },
        h("input", {
          type: "radio",
          name: "next-game",
          value: one.id,
          disabled: Boolean(one.refused),
          checked: local.game === one.id,
          onchange: () => choose(one.id),
        }),
        h("b", {}, gameTitle(one.id)),
        one.id === local.told.game && h("small", {}, t("change_now")),
        one.refused && h("small", {}, one.refused),
      ),
    ),
  );

function choose(game) {
  Object.assign(local, { game, changes: {}, amounts: new Map(), error: null });
  dialog.redraw();
}

/** With how much of their coins everybody begins, where the game has coins of its own. */
const buyIn = () =>
  chosen()?.buy_in && h("p", { class: "hint", key: "buy-in" }, t("change_buy_in", { count: number(chosen().buy_in) }));

// ---- the chosen game's settings

function settings() {
  const game = chosen();
  if (!game || game.fields.length === 0) return null;
  const own = game.fields.filter((field) => !game.floor.includes(field.key));
  const fixed = game.fields.filter((field) => game.floor.includes(field.key));
  return h(
    "details",
    { class: "change-settings", key: `settings-${game.id}` },
    h("summary", {}, t("change_settings")),
    h("p", { class: "hint" }, t("change_settings_hint")),
    fixed.length > 0 &&
      h("p", { class: "hint", key: "floor" }, t("change_floor_sets", { names: fixed.map(titleOf).join(", ") })),
    h(
      "div",
      { class: "fields" },
      own.map((field) => FIELDS[field.kind](game, field)),
    ),
  );
}

const titleOf = (field) => text(`key_${name(field.key)}`, field.title);
const chosenValue = (game, field) => (field.key in local.changes ? local.changes[field.key] : game.values[field.key]);

function set(field, value) {
  local.changes[field.key] = value;
  dialog.redraw();
}

const FIELDS = {
  choice: (game, field) =>
    h(
      "label",
      { key: field.key },
      h("span", {}, titleOf(field)),
      h(
        "select",
        { onchange: (event) => set(field, event.target.value) },
        field.of.map((one) =>
          h(
            "option",
            { key: one, value: one, selected: chosenValue(game, field) === one },
            text(`val_${name(field.key)}_${one}`, one),
          ),
        ),
      ),
    ),
  switch: (game, field) =>
    h(
      "label",
      { class: "switch", key: field.key },
      h("input", {
        type: "checkbox",
        checked: Boolean(chosenValue(game, field)),
        onchange: (event) => set(field, event.target.checked),
      }),
      h("span", {}, titleOf(field)),
    ),
  number: (game, field) => {
    const { least, coins, needed } = field;
    if (!local.amounts.has(field.key))
      local.amounts.set(field.key, newAmount(game.values[field.key] ?? "", { least, coins, optional: !needed }));
    const amount = local.amounts.get(field.key);
    const changed = () => (refusal(amount) ? dialog.redraw() : set(field, numberIn(amount)));
    return labelled(titleOf(field), amount, changed, { placeholder: "" });
  },
};

const wrongNumber = () => [...local.amounts.values()].map(refusal).find(Boolean) ?? null;

function doIt() {
  const game = chosen();
  const off = !game || local.isBusy || Boolean(local.told.refused) || Boolean(wrongNumber());
  return h(
    "p",
    { class: "actions", key: "do" },
    h(
      "button",
      {
        type: "button",
        class: "primary change-do",
        "aria-disabled": off ? "true" : null,
        onclick: () => !off && go({ game: game.id, changes: local.changes }),
      },
      game ? t("change_to", { game: gameTitle(game.id) }) : t("change_choose"),
    ),
  );
}

async function go(what) {
  Object.assign(local, { isBusy: true, error: null });
  dialog.redraw();
  try {
    await changeGame(what);
  } catch (error) {
    local.error = error.message;
  }
  local.isBusy = false;
  dialog.redraw();
}

// ---- the plan of the night

function plan() {
  return h(
    "details",
    { class: "night-plan", key: "plan" },
    h("summary", {}, t("plan_title")),
    h("p", { class: "hint" }, t("plan_hint")),
    h(
      "ol",
      {},
      local.plan.map((row, place) => planned(row, place)),
    ),
    h(
      "p",
      { class: "actions" },
      h("button", { type: "button", onclick: add }, t("plan_add")),
      h("button", { type: "button", class: "primary", onclick: save }, t("plan_save")),
    ),
  );
}

const planned = (row, place) =>
  h(
    "li",
    { key: row.id },
    h(
      "select",
      { "aria-label": t("plan_game"), onchange: (event) => edit(row, { game: event.target.value }) },
      local.told.games.map((one) =>
        h("option", { key: one.id, value: one.id, selected: one.id === row.game }, gameTitle(one.id)),
      ),
    ),
    row.minutes
      ? h("span", { class: "after" }, t("plan_after", { count: row.minutes }))
      : h("input", {
          type: "time",
          "aria-label": t("plan_at"),
          value: row.at ?? "",
          onchange: (event) => edit(row, { at: event.target.value }),
        }),
    h(
      "button",
      {
        type: "button",
        class: "icon",
        "aria-label": t("plan_up"),
        "aria-disabled": place === 0 ? "true" : null,
        onclick: () => move(place),
      },
      "↑",
    ),
    h("button", { type: "button", class: "icon", "aria-label": t("plan_remove"), onclick: () => remove(row) }, "✕"),
  );

function edit(row, changes) {
  Object.assign(row, changes);
  dialog.redraw();
}

function add() {
  const [first] = local.told.games;
  local.plan.push({ game: first.id, at: "", id: newKey() });
  dialog.redraw();
}

function remove(row) {
  local.plan = local.plan.filter((one) => one !== row);
  dialog.redraw();
}

function move(place) {
  if (place === 0) return;
  [local.plan[place - 1], local.plan[place]] = [local.plan[place], local.plan[place - 1]];
  dialog.redraw();
}

async function save() {
  if (local.plan.some((row) => !row.minutes && !row.at)) return toast(t("plan_no_time"), "error");
  try {
    const rows = local.plan.map(({ game, at, minutes }) => (minutes ? { game, minutes } : { game, at }));
    await post(`${API}/plan?as=dealer`, { plan: rows }, {}, 0, PATIENCE_MS);
    toast(t("plan_saved"));
  } catch (error) {
    toast(error.message, "error");
  }
}
