// The table view of hold'em, for the room: a TV across it, a tablet, a phone.

import { announce, h } from "../../js/dom.js";
import { cameraLine, extras, justNow } from "../../js/aside.js";
import { keepFitting } from "../../js/fit.js";
import { number, t } from "../../js/page.js";
import { paySheet } from "../../js/pay_sheet.js";
import { seatBadge } from "../../js/pieces.js";
import { promptOf } from "../../js/plain.js";
import { header, phaseOf, phasePill, start } from "../../js/shell.js";
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
    prompt(view),
    paySheet(view),
    extras(view),
    view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble),
    cameraLine(view),
    justNow(view),
  );

function prompt(view) {
  const seat = !view.hold && view.players.find((one) => one.name === view.turn)?.seat;
  return h(
    "section",
    { class: "prompt", key: "prompt" },
    h("p", { class: "big" }, seat && [seatBadge(seat), " "], promptOf(view)),
    view.hold && h("p", { class: "sub" }, t("sub_hold", { why: view.hold })),
  );
}

const newest = (view) => view.log?.at(-1);
const page = start("room", draw, {
  onView: (view, before) => newest(view)?.seq !== newest(before)?.seq && announce(newest(view)?.text),
  onDrawn: keepFitting(),
});
ticking(() => page.redraw());
