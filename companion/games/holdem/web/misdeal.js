// A misdeal: the hand under way is taken back, until the table is as it was before the blinds.

import * as dialog from "../../js/dialog.js";
import { act, button, can } from "../../js/console.js";
import { h } from "../../js/dom.js";
import { t } from "../../js/page.js";
import { command } from "../../js/send.js";

const BETWEEN = new Set(["ready", "break", "over"]);

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
        onclick: () => (
          dialog.close(),
          act(
            "misdeal",
            () => command("dealer", { do: "misdeal" }),
            () => t("misdealt"),
          )
        ),
      },
      t("misdeal_sure"),
    ),
  ]);
