// The table view of blackjack, for the room: a TV across it, a tablet, a phone.

import { announce, h } from "../../js/dom.js";
import { cameraLine, extras, justNow } from "../../js/aside.js";
import { keepFitting } from "../../js/fit.js";
import { t } from "../../js/page.js";
import { promptOf } from "../../js/plain.js";
import { seatBadge } from "../../js/pieces.js";
import { header, phaseOf, phasePill, start } from "../../js/shell.js";
import { paidRows } from "../../js/sums.js";
import { spotName } from "./parts.js";
import { around, board } from "./room.js";

const draw = (page) => [
  header(page, [phasePill(page.view)]),
  h(
    "main",
    { id: "main", class: `room blackjack phase-${phaseOf(page.view)}`, key: "main" },
    h("h1", { class: "quiet" }, t("title_table")),
    board(page.view),
    side(page.view),
    around(page.view),
  ),
];

const side = (view) =>
  h(
    "aside",
    { class: "side", key: "side" },
    prompt(view),
    extras(view),
    view.phase === "betting" && view.result && result(view),
    view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble),
    cameraLine(view),
    justNow(view),
  );

function prompt(view) {
  const seat = view.players.find((one) => one.name === view.turn)?.seat;
  return h(
    "section",
    { class: "prompt", key: "prompt" },
    h("p", { class: "big" }, seat && [seatBadge(seat), " "], promptOf(view)),
    view.hold && h("p", { class: "sub" }, t("sub_hold", { why: view.hold })),
  );
}

const result = (view) =>
  h(
    "section",
    { class: "panel result", key: "result" },
    h("h2", {}, t("result")),
    h("p", { class: "summary" }, view.summary),
    view.settled.length > 0 && paidRows(view.settled, spotName),
  );

const newest = (view) => view.log?.at(-1);
start("room", draw, {
  onView: (view, before) => newest(view)?.seq !== newest(before)?.seq && announce(newest(view)?.text),
  onDrawn: keepFitting(),
});
