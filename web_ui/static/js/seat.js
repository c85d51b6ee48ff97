// A player's phone at a game that has no page of its own: own coins, own bets, and what a player may say now.

import { announce, h } from "./dom.js";
import { once } from "./betting.js";
import { extras } from "./aside.js";
import { brought, dues, leaveButton, meIn, ownHistory, ownPrompt, purse, viewer } from "./own.js";
import { t } from "./page.js";
import { betList, outcome, promptOf, spotName } from "./plain.js";
import { header, phasePill, start } from "./shell.js";
import { plainVerbs, verbForms } from "./verb_forms.js";

let page = null;
const redraw = () => page?.redraw();
const { busy, act } = once(viewer, redraw);
const give = (record) => act(record.do, record);
const off = (verb) => (busy.has(verb) ? "true" : null);

function draw(now) {
  const { view, live } = now;
  const me = meIn(view);
  const settled = (view.settled ?? []).filter((line) => line.player === me.name);
  return [
    header(now, [phasePill(view)], ["/", "/odds"]),
    h(
      "main",
      { id: "main", class: "seat-page", key: "main" },
      purse(me),
      dues(view, me),
      ownPrompt(view, promptOf(view)),
      settled.length > 0 ? brought(settled, spotName) : outcome(view),
      extras(view),
      live !== false && doing(view),
      ownBets(view, me),
      ownHistory(view, me, redraw),
      leaveButton(),
    ),
  ];
}

/** The verbs that a phone may give; the table adds whose it is. */
function doing(view) {
  if (view.hold) return null;
  const forms = verbForms(view, { give, redraw, skip: ["take-back"] });
  const buttons = plainVerbs(view).map(({ verb, label }) =>
    h("button", { type: "button", key: verb, "aria-disabled": off(verb), onclick: () => give({ do: verb }) }, label),
  );
  if (forms.length + buttons.length === 0) return null;
  return h("section", { class: "panel", key: "doing" }, forms, h("div", { class: "actions" }, buttons));
}

function ownBets(view, me) {
  const bets = (view.bets ?? []).filter((bet) => bet.player === me.name);
  if (bets.length === 0) return null;
  const takeBack = (bet) =>
    view.expected.includes("take-back") &&
    h(
      "button",
      { type: "button", class: "quiet-button", onclick: () => give({ do: "take-back", on: bet.on }) },
      t("take_back"),
    );
  return betList({ ...view, bets }, takeBack);
}

page = start(viewer, draw, {
  onView: (view, before) => promptOf(view) !== promptOf(before) && announce(promptOf(view)),
});
