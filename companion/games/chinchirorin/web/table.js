// The table view of chinchirorin, for the room: a TV across it, a tablet, a phone.

import { announce, h } from "../../js/dom.js";
import { cameraLine, extras, justNow } from "../../js/aside.js";
import { keepFitting } from "../../js/fit.js";
import { moving } from "../../js/motion.js";
import { t } from "../../js/page.js";
import { promptOf } from "../../js/plain.js";
import { seatBadge } from "../../js/pieces.js";
import { header, phaseOf, phasePill, start } from "../../js/shell.js";
import { around, board, flights } from "./room.js";

function draw(page) {
  const { view } = page;
  return [
    header(page, [phasePill(view)]),
    h(
      "main",
      { id: "main", class: `room chinchirorin phase-${phaseOf(view)}`, key: "main" },
      h("h1", { class: "quiet" }, t("title_table")),
      board(view),
      side(view),
      around(view),
    ),
  ];
}

const side = (view) =>
  h(
    "aside",
    { class: "side", key: "side" },
    prompt(view),
    extras(view),
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

const newest = (view) => view.log?.at(-1);
start("room", draw, {
  onView: (view, before) => newest(view)?.seq !== newest(before)?.seq && announce(newest(view)?.text),
  onDrawn: keepFitting(),
  onDraw: (redraw, view, before) => moving(redraw, flights(view, before)),
});
