// A misdeal: the hand under way is taken back, until the table is as it was before the blinds.

import * as dialog from "../../js/dialog.js";
import { act, button, can, overtaken } from "../../js/console.js";
import { h } from "../../js/dom.js";
import { t } from "../../js/page.js";
import { command } from "../../js/send.js";

const BETWEEN = new Set(["ready", "break", "over"]);
const now = { decided: 0, pauses: 0 };

/** Offered as long as a hand is under way; asks once more, for it takes back bets as well. */
export function misdealButton(view) {
  const isBetween = BETWEEN.has(view.phase);
  now.decided = view.rounds;
  now.pauses += Number(isBetween); // after a misdeal as many hands are decided as before it
  return !isBetween && !view.hold && can(view, "undo") && button("misdeal", t("do_misdeal"), () => ask({ ...now }));
}

/** Ask about the hand that is under way: by the time of the answer it may be another one. */
const ask = ({ decided, pauses }) =>
  dialog.open(t("do_misdeal"), () => [
    h("p", {}, t("misdeal_hint")),
    h(
      "button",
      {
        type: "button",
        class: "primary",
        onclick: () => (
          dialog.close(),
          decided === now.decided && pauses === now.pauses
            ? act(
                "misdeal",
                () => command("dealer", { do: "misdeal" }),
                () => t("misdealt"),
              )
            : overtaken()
        ),
      },
      t("misdeal_sure"),
    ),
  ]);
