// Teach the table a house's own deck: name it, lay down its cards one after the other, keep it.

import { announce, h } from "./dom.js";
import {
  act,
  ask,
  beginForm,
  cameraSees,
  finishButton,
  knownList,
  local,
  nameField,
  page,
  progress,
  redraw,
  start,
  takenPicture,
  twice,
} from "./enrolling.js";
import { data, t } from "./page.js";

const SUITS = ["S", "H", "D", "C"];
const SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const form = { name: "" };
let asked = null; // the name of a known deck that is to be replaced
let chosen = null; // a card tapped on, rather than the next one

const rank = (card) => (card[0] === "T" ? "10" : card[0]);
const short = (card) => `${rank(card)}${SIGNS[card[1]]}`;

/** A card in words: "Ace of Spades". */
function nameOf(card) {
  const of = "AKQJ".includes(card[0]) ? t(`own_rank_${card[0]}`) : rank(card);
  return t(`own_suit_${card[1]}`, { rank: of });
}

async function begin(name, replace = false) {
  asked = null;
  const open = await act("begin", () => ask("", { name, replace }), {
    "deck-known": () => {
      asked = name;
    },
  });
  if (open) takeButton()?.focus();
}

async function take(card) {
  const taken = await act(`take-${card}`, () => ask("/take", { card }));
  if (!taken) return;
  chosen = null;
  const next = taken.enrollment.wanted[0];
  announce([t("enroll_taken", { face: nameOf(card) }), next && t("own_next", { card: nameOf(next) })].join(". "));
  redraw();
}

async function undo(card) {
  if (await act("undo", () => ask("/undo", { card }))) chosen = card;
  redraw();
}

async function finish() {
  const { name } = local.state.enrollment;
  const done = await act("finish", () => ask("/finish"));
  if (!done) return;
  const inPlay = done.decks.find((deck) => deck.name === name)?.in_play;
  local.done = t(inPlay ? "own_known_in_play" : "own_known", { name });
  redraw();
}

const takeButton = () => document.querySelector(".lay .says");

// ---- what the page shows

const draw = () =>
  page("title_enroll_deck", "own_no_camera", (state) =>
    state.enrollment
      ? enrollment(state.enrollment)
      : [
          state.unfinished ? unfinished(state.unfinished) : named(),
          knownList(t("own_list"), t("own_none"), state.decks.map(known)),
        ],
  );

const named = () =>
  beginForm(
    t("own_begin"),
    t("own_begin_hint"),
    () => begin(form.name),
    nameField(form, "deck", t("own_name"), t("own_name_such_as")),
    asked && question(asked),
  );

/** A deck of this name is known: nothing is replaced unasked. */
const question = (name) =>
  h(
    "div",
    { class: "question", key: "question", role: "alertdialog", "aria-label": t("own_replace", { name }) },
    h("p", {}, h("b", {}, t("own_replace", { name })), " ", t("own_replace_hint")),
    h(
      "p",
      { class: "row" },
      h("button", { type: "button", key: "yes", onclick: () => begin(name, true) }, t("own_replace_yes")),
      h("button", { type: "button", key: "no", onclick: () => ((asked = null), redraw()) }, t("own_replace_no")),
    ),
  );

const unfinished = ({ name, shown }) =>
  h(
    "section",
    { class: "panel", key: "unfinished" },
    h("h2", {}, t("own_unfinished", { name })),
    h("p", {}, t("own_count", { done: shown, all: 52 })),
    h(
      "div",
      { class: "nav-row" },
      twice("discard", t("own_discard"), t("enroll_cancel_sure"), () => act("discard", () => ask("/discard"))),
      h("button", { type: "button", key: "on", class: "primary", onclick: () => begin(name) }, t("own_go_on")),
    ),
  );

function known({ id, name, in_play }) {
  const forget = () => act(`forget-${name}`, () => ask("/forget", { name }));
  return h(
    "li",
    { key: id },
    h("strong", {}, name),
    h("span", { class: "hint" }, in_play ? `${id} · ${t("own_in_play")}` : id),
    h(
      "span",
      { class: "row" },
      in_play ? null : twice(`forget/${id}`, t("enroll_forget"), t("enroll_forget_sure", { name }), forget),
    ),
  );
}

function enrollment(it) {
  const done = it.cards.length - it.wanted.length;
  const card = chosen ?? it.wanted[0] ?? null;
  return h(
    "section",
    { class: "panel deck", key: "open" },
    h("h2", {}, it.name),
    h("p", { key: "how" }, t("own_how")),
    progress(done, it.cards.length, t("own_progress"), t("own_count", { done, all: it.cards.length })),
    h("div", { class: "two", key: "two" }, h("div", { class: "lay", key: "lay" }, lay(it, card)), grid(it, card)),
    h(
      "div",
      { class: "nav-row", key: "nav" },
      h(
        "span",
        { class: "row", key: "leave" },
        h("button", { type: "button", key: "pause", onclick: () => act("pause", () => ask("/pause")) }, t("own_pause")),
        twice("discard", t("own_discard"), t("enroll_cancel_sure"), () => act("discard", () => ask("/discard"))),
      ),
      finishButton(it, it.wanted.length ? t("own_missing", { count: it.wanted.length }) : t("own_finish"), finish),
    ),
  );
}

/** Which card is asked for, what the camera sees, and what was taken last. */
function lay(it, card) {
  const isShown = card !== null && !it.wanted.includes(card);
  return [
    h(
      "p",
      { class: "asked", key: "asked" },
      card === null ? t("own_all") : [h("b", { class: `sign ${suit(card)}` }, short(card)), " ", nameOf(card)],
    ),
    now(card, isShown),
    isShown && kept(it, card, t("own_shown", { card: nameOf(card) })),
    !isShown && it.last && kept(it, it.last, t("enroll_last", { face: nameOf(it.last) })),
  ];
}

function now(card, isShown) {
  const { seen } = local;
  const fits = seen && !seen.trouble;
  const isLast = fits && seen.is_last && !isShown && card;
  const label = isShown ? t("own_again", { card: short(card) }) : t("own_take", { card: card && short(card) });
  return cameraSees(
    isLast ? t("own_next", { card: nameOf(card) }) : t("own_fit"),
    card !== null &&
      h(
        "button",
        {
          type: "button",
          key: "says",
          class: "says primary",
          "aria-disabled": local.busy || !fits ? "true" : null,
          onclick: () => fits && take(card),
        },
        seen && !fits ? t("own_wait", { card: short(card) }) : label,
      ),
  );
}

const suit = (card) => ("HD".includes(card[1]) ? "is-red" : "is-black");
const picture = (it, card) => `${data.api}/cards/${card}.jpg?${it.taken}`;

/** A card that was taken: its picture, and the way back. */
const kept = (it, card, word) => takenPicture(picture(it, card), word, () => undo(card));

const grid = (it, card) =>
  h(
    "section",
    { class: "faces", key: "faces", "aria-labelledby": "faces-title" },
    h("h3", { id: "faces-title" }, t("own_tap")),
    SUITS.map((of) =>
      h(
        "ul",
        { key: of },
        it.cards.filter((one) => one.card[1] === of).map((one) => cell(it, one, card)),
      ),
    ),
  );

const cell = (it, { card, shown }, wanted) =>
  h(
    "li",
    { key: card },
    h(
      "button",
      {
        type: "button",
        class: `face ${shown ? "is-shown" : "is-wanted"}`,
        "aria-label": t(shown ? "own_card_shown" : "own_card_wanted", { card: nameOf(card) }),
        "aria-pressed": card === wanted ? "true" : "false",
        onclick: () => ((chosen = card), (local.refused = null), redraw()),
      },
      shown && h("img", { key: "picture", src: picture(it, card), alt: "", loading: "lazy" }),
      h("b", { key: "name", class: `sign ${suit(card)}` }, short(card)),
    ),
  );

// The space bar and Enter take the card wherever nothing else has the focus: one hand lays, the other one presses.
addEventListener("keydown", (event) => {
  const isFree = document.activeElement === document.body || document.activeElement === null;
  if (!isFree || !["Enter", " "].includes(event.key) || event.repeat) return;
  event.preventDefault();
  takeButton()?.click();
});

start(draw);
