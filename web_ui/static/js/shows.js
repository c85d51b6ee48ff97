// What the table shows beyond its rules, switched while it runs: practice, chances, the turn's timer, waiting for
// ticks. No rule depends on it.

import { h } from "./dom.js";
import * as dialog from "./dialog.js";
import { t } from "./page.js";
import { post, Refused } from "./send.js";
import { toast } from "./shell.js";

const API = "/api/v1/setup";
const PATIENCE_MS = 20000;

/** The sheet with the switches that a game has: `shows` are those beside the practice texts, `chances` and `timer`. */
export async function whatTheTableShows(shows) {
  try {
    const answer = await fetch(API);
    const told = await answer.json();
    if (!answer.ok) throw new Refused(told.code, told.message);
    sheet(told.settings.values, shows);
  } catch (error) {
    toast(error instanceof Refused ? error.message : t("no_network"), "error");
  }
}

function sheet(values, shows) {
  dialog.open(t("shows"), () => [
    h("p", { class: "hint" }, t("shows_hint")),
    toggle("table.practice", t("shows_practice"), values),
    toggle("table.wait_for_payments", t("shows_wait_for_payments"), values),
    shows.includes("chances") && toggle("table.chances", t("shows_chances"), values),
    shows.includes("timer") && timer(values),
  ]);
}

const toggle = (key, label, values) =>
  h(
    "label",
    { class: "switch", key },
    h("input", {
      type: "checkbox",
      checked: values[key] === true,
      onchange: (event) => change(key, event.target.checked, event.target),
    }),
    h("span", {}, label),
  );

const timer = (values) =>
  h(
    "label",
    { class: "switch timer-choice", key: "timer" },
    h("span", {}, t("shows_timer")),
    h(
      "select",
      {
        onchange: (event) =>
          change("table.turn_seconds", event.target.value === "" ? null : Number(event.target.value)),
      },
      ["", 15, 30, 45, 60, 90, 120].map((seconds) =>
        h(
          "option",
          { key: seconds, value: seconds, selected: (values["table.turn_seconds"] ?? "") === seconds },
          seconds === "" ? t("shows_timer_off") : t("shows_seconds", { n: seconds }),
        ),
      ),
    ),
  );

/** Written down and counts at once; what was refused is switched back. */
async function change(key, to, box) {
  try {
    await post(`${API}/settings`, { changes: { [key]: to } }, {}, 0, PATIENCE_MS);
    toast(t("shows_saved"));
  } catch (error) {
    if (box) box.checked = !to;
    toast(error.message, "error");
  }
}
