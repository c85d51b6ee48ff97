// The table view of roulette, for the room: a TV across it, a tablet, a phone.

import { announce, h } from "../../js/dom.js";
import { cameraLine, extras, justNow } from "../../js/aside.js";
import { keepFitting } from "../../js/fit.js";
import { t } from "../../js/page.js";
import { header, phaseOf, phasePill, start } from "../../js/shell.js";
import { paidRows } from "../../js/sums.js";
import { around, board, lastCard, narrow } from "./room.js";
import { spotName } from "./spots.js";

const draw = (page) => [
  header(page, [phasePill(page.view)]),
  h(
    "main",
    { id: "main", class: `room wheel-room phase-${phaseOf(page.view)}`, key: "main" },
    h("h1", { class: "quiet" }, t("title_table")),
    board(page.view),
    side(page.view),
    around(page.view),
  ),
];

function side(view) {
  const phase = phaseOf(view);
  return h(
    "aside",
    { class: "side", key: "side" },
    h(
      "section",
      { class: "prompt", key: "prompt" },
      h("p", { class: "big" }, t(`prompt_${phase}`)),
      h("p", { class: "sub" }, t(`sub_${phase}`, { why: view.hold })),
    ),
    extras(view),
    phase === "betting" && lastCard(view),
    phase === "betting" && view.result && result(view),
    view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble),
    cameraLine(view),
    justNow(view),
  );
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

const newest = (view) => view.log?.at(-1);
narrow.addEventListener("change", () => page.redraw());
const page = start("room", draw, {
  onDrawn: keepFitting(),
  onView: (view, before) => newest(view)?.seq !== newest(before)?.seq && announce(newest(view)?.text),
});
