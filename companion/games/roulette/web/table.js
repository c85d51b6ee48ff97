// The table view of roulette, for the room.

import { h } from "../../js/dom.js";
import { extras } from "../../js/aside.js";
import { t } from "../../js/page.js";
import { runRoom } from "../../js/room_frame.js";
import { phaseOf } from "../../js/shell.js";
import { around, board, lastCard, narrow } from "./room.js";
import { spotName } from "./spots.js";

function prompt(view) {
  const phase = phaseOf(view);
  return { title: t(`prompt_${phase}`), sub: t(`sub_${phase}`, { why: view.hold }) };
}

/** Nobody had a bet: there is no pay sheet to say so. */
const nobody = (view) =>
  view.phase === "betting" &&
  view.result &&
  view.settled.length + view.imprisoned.length === 0 &&
  h("p", { class: "panel hint", key: "result" }, t("nobody_bet"));

const page = runRoom({
  look: () => "wheel-room",
  board: (view) => board(view, view.phase === "betting" && lastCard(view)),
  around,
  prompt,
  side: (view) => [extras(view), nobody(view)],
  spotName,
});
narrow.addEventListener("change", () => page.redraw());
