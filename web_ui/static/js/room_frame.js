// The room's screen, for a TV across it, a tablet, a phone: what lies there, what comes next, who sits there.

import { announce, h } from "./dom.js";
import { cameraLine, extras, justNow } from "./aside.js";
import { keepFitting } from "./fit.js";
import { moving } from "./motion.js";
import { t } from "./page.js";
import { paySheet } from "./pay_sheet.js";
import { seatBadge } from "./pieces.js";
import { promptOf } from "./plain.js";
import { header, phaseOf, phasePill, start } from "./shell.js";

/**
 * Run the room's screen of a game; returns the page.
 * @param {object} its look(view): the page's classes; board(view), around(view): what it draws; side(view): beside the
 *   board; prompt(view): {title, sub, seat, suit}, what comes next; pills(view), links, more(): for the header;
 *   flights(view, before): what moves; past(): the view that all but the board still shows, as long as the board shows
 *   what just happened; fits: false: the page scrolls; fitted(): called once the side fits; camera: false without its
 *   line; spotName(on); onView(view, before): before a new view is drawn
 */
export function runRoom(its) {
  return start("room", (page) => draw(page, its), {
    onView: (view, before) => {
      its.onView?.(view, before);
      if (newest(view)?.seq !== newest(before)?.seq) announce(newest(view)?.text);
    },
    onDrawn: its.fits === false ? undefined : keepFitting(its.fitted),
    onDraw: its.flights && ((redraw, view, before) => moving(redraw, its.flights(view, before))),
  });
}

const newest = (view) => view.log?.at(-1);

function draw(page, its) {
  const view = its.past?.() ?? page.view;
  return [
    header(page, [its.pills?.(view), phasePill(view)], its.links, its.more?.()),
    h(
      "main",
      { id: "main", class: `room ${its.look(view)} phase-${phaseOf(view)}`, key: "main" },
      h("h1", { class: "quiet" }, t("title_table")),
      its.board(page.view),
      side(view, its),
      its.around?.(view),
    ),
  ];
}

const side = (view, { prompt, side: more = extras, camera = true, spotName }) =>
  h(
    "aside",
    { class: "side", key: "side" },
    promptPanel(view, prompt),
    paySheet(view, { nameOf: spotName }),
    more(view),
    view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble),
    camera && cameraLine(view),
    justNow(view),
  );

const LONG = /\S{12}/; // needs smaller type

/** What comes next; `prompt` see `runRoom`. */
export function promptPanel(view, prompt = whoIsNext) {
  const { title, sub, seat, suit } = view.hold ? onHold(view) : prompt(view);
  return h(
    "section",
    { class: "prompt", key: "prompt", "data-suit": suit ?? null },
    h("p", { class: LONG.test(title) ? "big long" : "big" }, seat && [seatBadge(seat), " "], title),
    sub && h("p", { class: "sub" }, sub),
  );
}

/** A table on hold waits, whatever would come next in the game. */
const onHold = (view) => ({ title: t("phase_hold"), sub: t("sub_hold", { why: view.hold }) });

/** The seat whose turn it is, and what is to be done. */
const whoIsNext = (view) => ({
  title: promptOf(view),
  seat: view.players.find((one) => one.name === view.turn)?.seat,
});
