// Set-up: decks, the room's language and voice, players, and what is left to do at the end.

import { labelled, newAmount, numberIn, refusal } from "./amount_field.js";
import { h } from "./dom.js";
import { has, number, t } from "./page.js";
import { command } from "./send.js";
import { act, ask, complain, local, redraw, set, value, verdictOf } from "./setup_state.js";
import { titleOf, toggle } from "./setup_game.js";

const LANGUAGES = ["auto", "en", "de", "es"];
const fresh = { kind: null, name: "", paper: "a4" };

// ---- decks

/** A kind of deck as people call it, with its number of cards. */
function kindName(kind) {
  if (has(`deck_kind_${kind}`)) return t(`deck_kind_${kind}`);
  const known = local.state.deck_kinds.find((one) => one.kind === kind);
  return known ? `${known.title}, ${known.cards}` : kind;
}

export function deck() {
  const mine = value("table.deck_id");
  const shoe = value("table.shoe") ?? [];
  const decks = decksKey();
  const kinds = local.state.deck_kinds;
  fresh.kind ??= kinds[0].kind;
  return [
    local.state.decks.length === 0 && h("p", { key: "none" }, t("deck_none")),
    decks && local.state.decks.length > 0 && h("p", { class: "hint", key: "shoe" }, t("shoe_hint")),
    h(
      "ul",
      { class: "deck-list", key: "decks" },
      local.state.decks.map((one, i) =>
        h(
          "li",
          { key: one.id },
          h(
            "label",
            { class: "choice name" },
            h("input", {
              type: decks ? "checkbox" : "radio",
              name: "deck",
              checked: decks ? shoe.includes(one.id) : mine ? mine === one.id : i === 0,
              onchange: (event) => (decks ? intoShoe(one.id, event.target.checked, decks) : playWith(one.id)),
            }),
            h("b", {}, one.name, " "),
            h("small", {}, `${one.id} · ${kindName(one.kind)}`),
          ),
          (one.kind === "own" ? [] : ["deck", "tokens", "stickers"]).map((what) =>
            h(
              "a",
              {
                class: "button",
                key: what,
                href: `/api/v1/setup/sheets/${what}.pdf?deck=${one.id}&paper=${fresh.paper}`,
                download: "",
              },
              t(`print_${what}`),
            ),
          ),
        ),
      ),
    ),
    h(
      "div",
      { class: "fields", key: "new" },
      h(
        "label",
        {},
        t("deck_name"),
        h("input", {
          maxlength: 40,
          value: fresh.name,
          oninput: (event) => (fresh.name = event.target.value),
          onkeydown: (event) => event.key === "Enter" && fresh.name.trim() && make(), // none without a name by it
        }),
      ),
      select(
        "deck_kind",
        kinds.map((one) => one.kind),
        fresh.kind,
        (kind) => (fresh.kind = kind),
        kindName,
      ),
      select(
        "paper",
        ["a4", "letter"],
        fresh.paper,
        (paper) => (fresh.paper = paper),
        (paper) => (paper === "a4" ? "A4" : "Letter"),
      ),
      h("button", { type: "button", "aria-disabled": local.busy ? "true" : null, onclick: make }, t("deck_make")),
    ),
    h("p", { class: "hint", key: "how" }, t("print_how")),
    h(
      "p",
      { class: "row", key: "own" },
      h("a", { class: "button", key: "check", href: "/setup/check" }, t("check_link")),
      h("a", { class: "button", key: "print", href: "/setup/print" }, t("sheets_link")),
      h("a", { class: "button", key: "own", href: "/setup/deck" }, t("own_link")),
    ),
  ];
}

/** The setting that says how many decks the chosen game is played with, if it is played with several. */
const decksKey = () => local.state.games.find((one) => one.id === value("table.game"))?.decks;

/** Play with one deck: a shoe of several, from another game, is over. */
function playWith(id) {
  set("table.deck_id", id);
  if (value("table.shoe")?.length) set("table.shoe", []);
}

/** Put a deck into the shoe, or take it out; the game is then played with as many. */
function intoShoe(id, isIn, decks) {
  const others = (value("table.shoe") ?? []).filter((one) => one !== id);
  const shoe = isIn ? [...others, id] : others;
  set("table.shoe", shoe);
  if (shoe.length > 0) set(decks, shoe.length);
}

const select = (key, of, now, choose, label) =>
  h(
    "label",
    { key },
    t(key),
    h(
      "select",
      { onchange: (event) => (choose(event.target.value), redraw()) },
      of.map((one) => h("option", { key: one, value: one, selected: now === one }, label(one))),
    ),
  );

async function make() {
  const made = await act("deck", () => ask("/decks", { kind: fresh.kind, name: fresh.name }));
  if (!made) return;
  local.state.decks = [made, ...local.state.decks];
  fresh.name = "";
  const decks = decksKey();
  if (decks) intoShoe(made.id, true, decks);
  else playWith(made.id);
}

// ---- the room

export const room = () => [
  h(
    "div",
    { class: "fields", key: "languages" },
    select("key_web_language", LANGUAGES, value("web.language"), (to) => set("web.language", to), language),
    select("key_voice_language", LANGUAGES, value("voice.language"), (to) => set("voice.language", to), language),
  ),
  h("div", { class: "switches", key: "voice" }, toggle({ key: "voice.on" })),
  h(
    "div",
    { class: "row", key: "try" },
    h("button", { type: "button", "aria-disabled": local.busy ? "true" : null, onclick: speak }, t("voice_try")),
  ),
];

const language = (code) => t(code === "auto" ? "language_auto" : `language_${code}`);

function speak() {
  const wanted = [value("voice.language"), value("web.language")].find((code) => code !== "auto");
  return act("voice", () => ask("/voice", { language: wanted ?? null }));
}

// ---- players

const NAME = { name: "player", maxlength: 40, required: true, autocomplete: "off" };
const guest = { name: "", coins: newAmount("", { least: 0 }), usual: "" };

/** As many coins as are usual in the game that was chosen, until something else is typed. */
function offerUsual() {
  const usual = String(local.state.settings.usual_buy_in);
  if (guest.coins.text === guest.usual) guest.coins.text = usual;
  guest.usual = usual;
}

export const players = () => [
  h(
    "ul",
    { class: "seated", key: "seated" },
    local.view.players.map((player) =>
      h(
        "li",
        { key: player.seat },
        h("span", {}, t("seat_n", { seat: player.seat })),
        h("strong", {}, player.name),
        h("b", {}, number(player.coins)),
      ),
    ),
  ),
  local.view.players.length === 0 && h("p", { class: "hint", key: "none" }, t("no_players")),
  joinForm(),
  h("p", { class: "hint", key: "phones" }, t("players_phones")),
];

function joinForm() {
  offerUsual();
  const typed = (event) => (guest.name = event.target.value);
  const changed = () => {
    local.error = null;
    redraw();
  };
  const off = local.busy || refusal(guest.coins) ? "true" : null;
  return h(
    "form",
    { class: "fields", key: "join", onsubmit: join },
    h("label", {}, t("join_name"), h("input", { ...NAME, value: guest.name, oninput: typed })),
    labelled(t("join_coins"), guest.coins, changed, { name: "coins" }),
    h("button", { type: "submit", "aria-disabled": off }, t("join_do")),
  );
}

async function join(event) {
  event.preventDefault();
  if (refusal(guest.coins)) return complain(refusal(guest.coins));
  const record = { do: "join", player: guest.name.trim(), coins: numberIn(guest.coins) };
  const joined = await act("join", () => command("dealer", record));
  if (!joined) return;
  guest.name = "";
  const now = await fetch("/api/v1/state?as=dealer").catch(() => null);
  if (now?.ok) local.view = await now.json();
  redraw();
  document.querySelector("input[name=player]")?.focus();
}

// ---- the end

/** What each step is worth, what was written, and what else there is. */
export const finish = (steps, go) => [
  h(
    "ul",
    { class: "worth", key: "worth" },
    steps.map((step) => stepWorth(step, go)),
  ),
  inFile(),
  h(
    "div",
    { class: "row", key: "more" },
    h("a", { class: "button", key: "pin", href: "/setup/pin" }, t("setup_change")),
    h("a", { class: "button", key: "table", href: "/" }, t("finish_table")),
    h("a", { class: "button", key: "dice", href: "/setup/dice" }, t("enroll_link")),
    h("a", { class: "button", key: "axis", href: "/setup/axis" }, t("axis_link")),
    h("a", { class: "button", key: "check", href: "/setup/check" }, t("check_link")),
    h("a", { class: "button", key: "deck", href: "/setup/deck" }, t("own_link")),
    h("a", { class: "button", key: "house", href: "/dealer/house" }, t("finish_house")),
  ),
  h(
    "section",
    { class: "bug", key: "bug" },
    h("h3", {}, t("bug_title")),
    h("p", { class: "hint" }, t("bug_hint")),
    h("a", { class: "button", href: "/api/v1/setup/bug-report.zip", download: "" }, t("bug_do")),
  ),
];

function stepWorth(step, go) {
  const found = verdictOf(step);
  const status = found?.status ?? "open_step";
  return h(
    "li",
    { key: step, class: `is-${status}` },
    h("button", { type: "button", class: "link", onclick: () => go(step) }, t(`step_${step}`)),
    h("b", {}, t(`set_${status}`)),
    h(
      "span",
      { class: "hint" },
      (found?.why ?? []).map((text) => h("span", { key: text }, text, " ")),
    ),
  );
}

/** What stands in the file, as it was read back. */
function inFile() {
  const { file, written } = local.state.settings;
  const keys = Object.keys(written);
  if (keys.length === 0) return h("p", { key: "file" }, t("finish_no_file", { file }));
  return h(
    "details",
    { key: "file", class: "in-file", open: true },
    h("summary", {}, t("finish_file", { file })),
    h(
      "dl",
      { class: "facts" },
      keys.map((key) => [h("dt", {}, titleOf(key)), h("dd", {}, saidOf(key, written[key]))]),
    ),
  );
}

function saidOf(key, to) {
  if (typeof to === "boolean") return t(to ? "yes" : "no");
  if (Array.isArray(to)) return to.join(", ");
  if (key.endsWith(".language")) return language(to);
  if (key === "camera.source") return has(`cam_${to}`) ? t(`cam_${to}`) : to;
  if (key !== "table.game") return String(to);
  return has(`game_${to}`) ? t(`game_${to}`) : local.state.games.find((one) => one.id === to)?.title;
}
