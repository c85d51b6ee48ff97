// The table view of roulette, for the room.

import { h } from "../../js/dom.js";
import { extras } from "../../js/aside.js";
import { t } from "../../js/page.js";
import { runRoom } from "../../js/room_frame.js";
import { phaseOf } from "../../js/shell.js";
import { paidRows } from "../../js/sums.js";
import { around, board, lastCard, narrow } from "./room.js";
import { spotName } from "./spots.js";

function prompt(view) {
  const phase = phaseOf(view);
  return { title: t(`prompt_${phase}`), sub: t(`sub_${phase}`, { why: view.hold }) };
}

function side(view) {
  const phase = phaseOf(view);
  return [extras(view), phase === "betting" && lastCard(view), phase === "betting" && view.result && result(view)];
}

const result = (view) =>
  h(
    "section",
    { class: "panel result", key: "result" },
    h("h2", {}, t("result")),
    view.settled.length === 0 ? h("p", { class: "hint" }, t("nobody_bet")) : paidRows(view.settled, spotName),
    view.imprisoned.length > 0 &&
      h("p", { class: "prisoners", key: "prison" }, t("bets_in_prison", { count: view.imprisoned.length })),
  );

const page = runRoom({ look: () => "wheel-room", board, around, prompt, side });
narrow.addEventListener("change", () => page.redraw());
