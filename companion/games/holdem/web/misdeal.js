// A misdeal: the hand under way is taken back, until the table is as it was before the blinds.

import * as dialog from "../../js/dialog.js";
import { act, button, can, overtaken } from "../../js/console.js";
import { h } from "../../js/dom.js";
import { t } from "../../js/page.js";
import { command } from "../../js/send.js";

const BETWEEN = new Set(["ready", "break", "over"]);
let decided = 0;

/** Offered as long as a hand is under way; asks once more, for it takes back bets as well. */
export function misdealButton(view) {
  decided = view.rounds;
  return (
    !BETWEEN.has(view.phase) &&
    !view.hold &&
    can(view, "undo") &&
    button("misdeal", t("do_misdeal"), () => ask(decided))
  );
}

/** Ask about the hand after so many: by the time of the answer another one may be under way. */
const ask = (before) =>
  dialog.open(t("do_misdeal"), () => [
    h("p", {}, t("misdeal_hint")),
    h(
      "button",
      {
        type: "button",
        class: "primary",
        onclick: () => (
          dialog.close(),
          before === decided
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
