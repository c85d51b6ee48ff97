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

function side(view) {
  const phase = phaseOf(view);
  return [extras(view), phase === "betting" && lastCard(view), phase === "betting" && view.result && result(view)];
}

/** What the pay sheet does not say: that nobody had a bet, and who sits in prison. */
const result = (view) =>
  view.settled.length === 0 && view.imprisoned.length === 0
    ? h("p", { class: "panel hint", key: "result" }, t("nobody_bet"))
    : view.imprisoned.length > 0 &&
      h("p", { class: "panel prisoners", key: "prison" }, t("bets_in_prison", { count: view.imprisoned.length }));

const page = runRoom({ look: () => "wheel-room", board, around, prompt, side, spotName });
narrow.addEventListener("change", () => page.redraw());
