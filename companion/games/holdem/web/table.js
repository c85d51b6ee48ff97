// The table view of hold'em, for the room: a TV across it, a tablet, a phone.

import { announce, h } from "../../js/dom.js";
import { cameraLine, extras, justNow } from "../../js/aside.js";
import { keepFitting } from "../../js/fit.js";
import { number, t } from "../../js/page.js";
import { paySheet } from "../../js/pay_sheet.js";
import { promptPanel } from "../../js/room_frame.js";
import { header, phaseOf, phasePill, start } from "../../js/shell.js";
import { shrink } from "../../js/shrink.js";
import { board } from "./room.js";
import { levelClock, standing, ticking } from "./tournament.js";

function draw(page) {
  const { view } = page;
  return [
    header(page, [blinds(view), phasePill(view)]),
    h(
      "main",
      { id: "main", class: `room holdem${view.tournament ? " tournament" : ""} phase-${phaseOf(view)}`, key: "main" },
      h("h1", { class: "quiet" }, t("title_table")),
      board(view),
      side(view),
    ),
  ];
}

const blinds = (view) =>
  h("span", { class: "pill mild", key: "blinds" }, t("blinds"), " ", view.blinds.map(number).join("/"));

const side = (view) =>
  h(
    "aside",
    { class: "side", key: "side" },
    levelClock(view),
    standing(view),
    promptPanel(view),
    paySheet(view),
    extras(view),
    view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble),
    cameraLine(view),
    justNow(view),
  );

const newest = (view) => view.log?.at(-1);
const page = start("room", draw, {
  onView: (view, before) => newest(view)?.seq !== newest(before)?.seq && announce(newest(view)?.text),
  onDrawn: keepFitting(() => shrink(".felt-holdem")),
});
ticking(() => page.redraw());
