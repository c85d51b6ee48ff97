// Check a printed deck: lay its cards before the camera, in any order, and see what is missing, double or strange.

import { h } from "./dom.js";
import { act, ask, local, page, progress, redraw, start } from "./enrolling.js";
import { t } from "./page.js";

const STRANGERS = ["double", "forged", "foreign", "other_deck"];
const chosen = new Set();

const draw = () =>
  page("title_deck_check", "check_none", (state) => (state.enrollment ? checking(state.enrollment) : choose(state)));

// ---- which deck

const choose = ({ decks }) =>
  h(
    "form",
    { class: "panel begin", key: "choose", onsubmit: begin },
    h("h2", {}, t("check_which")),
    h("p", { class: "hint" }, t("check_which_hint")),
    decks.length === 0 && h("p", { key: "none" }, t("check_no_deck")),
    h(
      "ul",
      { class: "dice", key: "decks" },
      decks.map(({ id, name }) => h("li", { key: id }, deckBox(id, name))),
    ),
    h("button", { type: "submit", class: "primary", "aria-disabled": blocked() }, t("check_begin")),
  );

const blocked = () => (local.busy || chosen.size === 0 ? "true" : null);

const deckBox = (id, name) =>
  h(
    "label",
    { class: "switch" },
    h("input", {
      type: "checkbox",
      checked: chosen.has(id),
      onchange: (event) => (event.target.checked ? chosen.add(id) : chosen.delete(id), redraw()),
    }),
    h("strong", {}, name),
    h("span", { class: "hint" }, id),
  );

function begin(event) {
  event.preventDefault();
  local.seen = null;
  if (chosen.size > 0) act("begin", () => ask("", { decks: [...chosen] }));
}

// ---- the check

function checking(open) {
  const decks = local.seen?.decks ?? open.decks;
  return h(
    "section",
    { class: "panel deck", key: "open" },
    h("p", { key: "how" }, t("check_how")),
    h("div", { class: "two", key: "two" }, now(), h("div", { key: "decks" }, decks.map(report))),
    h(
      "div",
      { class: "nav-row", key: "nav" },
      h("span", {}),
      h(
        "button",
        { type: "button", key: "end", "aria-disabled": local.busy ? "true" : null, onclick: end },
        t("check_end"),
      ),
    ),
  );
}

const end = () => act("end", () => ask("/end")).then(() => (local.seen = null));

const now = () =>
  h(
    "section",
    { class: "now", key: "now", "aria-label": t("enroll_now") },
    local.seen
      ? h("img", { key: "shot", class: "shot", src: local.seen.picture, alt: t("enroll_now") })
      : h("p", { key: "no-shot", class: "no-shot" }, t("camera_waiting")),
    h(
      "p",
      { key: "new", role: "status" },
      local.seen?.new.length > 0 && t("check_new", { cards: local.seen.new.join(", ") }),
    ),
  );

function report(deck) {
  const strange = STRANGERS.filter((kind) => deck[kind].length > 0);
  return h(
    "section",
    { class: "checked", key: deck.deck, "aria-label": deck.deck },
    h("h2", {}, deck.deck),
    progress(
      deck.seen.length,
      deck.cards,
      t("check_progress"),
      t("own_count", { done: deck.seen.length, all: deck.cards }),
    ),
    deck.complete && h("p", { class: "word good", key: "complete", role: "status" }, "✓ ", t("check_complete")),
    strange.map((kind) =>
      h("p", { class: "error", key: kind, role: "alert" }, t(`check_${kind}`, { cards: deck[kind].join(", ") })),
    ),
    deck.missing.length > 0 && [
      h("h3", { key: "title" }, t("check_missing", { count: deck.missing.length })),
      h(
        "ul",
        { class: "missing", key: "missing" },
        deck.missing.map((card) => h("li", { key: card }, card)),
      ),
    ],
  );
}

start(draw);
