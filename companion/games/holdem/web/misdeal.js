// A misdeal: the hand under way is taken back, command by command, until the table is as it was before the blinds.

import * as dialog from "../../js/dialog.js";
import { act, button, can } from "../../js/console.js";
import { h } from "../../js/dom.js";
import { t } from "../../js/page.js";
import { command } from "../../js/send.js";

const BETWEEN = new Set(["ready", "break", "over"]);
const MOST_IN_BETWEEN = 20;

/** Offered as long as a hand is under way; asks once more, for it takes back bets as well. */
export const misdealButton = (view) =>
  !BETWEEN.has(view.phase) && !view.hold && can(view, "undo") && button("misdeal", t("do_misdeal"), () => ask());

const ask = () =>
  dialog.open(t("do_misdeal"), () => [
    h("p", {}, t("misdeal_hint")),
    h(
      "button",
      {
        type: "button",
        class: "primary",
        onclick: () => (dialog.close(), act("misdeal", takeBack, () => t("misdealt"))),
      },
      t("misdeal_sure"),
    ),
  ]);

/** Each undo names what it takes back; what comes in between belongs to the hand as well, and goes with it. */
async function takeBack() {
  let overtaken = 0;
  for (let view = await now(); !BETWEEN.has(view.phase); view = await now())
    try {
      await command("dealer", { do: "undo", only: { number: view.commands, ...view.undoes } });
    } catch (error) {
      overtaken += 1;
      if (overtaken > MOST_IN_BETWEEN) throw error;
    }
}

async function now() {
  const answer = await fetch("/api/v1/state?as=dealer", { cache: "no-store" });
  if (!answer.ok) throw new Error(t("no_network"));
  return answer.json();
}
