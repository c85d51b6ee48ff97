// The table view of Rochi and Captain's Rochi, for the room: a TV across it, a tablet, a phone.

import { announce, h } from "../../js/dom.js";
import { cameraLine, extras, justNow, wordsButton } from "../../js/aside.js";
import { moving } from "../../js/motion.js";
import { t } from "../../js/page.js";
import { seatBadge } from "../../js/pieces.js";
import { sign } from "./pieces.js";
import { seatOf } from "./parts.js";
import { promptOf, TERMS } from "./words.js";
import { around, board, flights, lastCard } from "./room.js";
import { keepFitting } from "../../js/fit.js";
import { paymentRows } from "./payments.js";
import { header, phaseOf, phasePill, start } from "../../js/shell.js";

function draw(page) {
  const { view } = page;
  return [
    header(page, [pills(view), phasePill(view)], undefined, wordsButton(TERMS)),
    h(
      "main",
      { id: "main", class: `room rochi phase-${phaseOf(view)}`, key: "main" },
      h("h1", { class: "quiet" }, t("title_table")),
      board(view),
      side(view),
      around(view),
    ),
  ];
}

/** Which hand it is, and whether it is the last. */
const pills = (view) => [
  view.hand !== undefined && h("span", { class: "pill mild", key: "hand" }, t("hand_n", { n: view.hand })),
  view.last_hand && h("span", { class: "pill last", key: "last" }, t("last_hand")),
];

function side(view) {
  return h(
    "aside",
    { class: "side", key: "side" },
    prompt(view),
    lastCard(view),
    payments(view),
    extras(view),
    deck(view),
    view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble),
    cameraLine(view),
    justNow(view),
  );
}

function prompt(view) {
  const { title, sub, suit, player } = promptOf(view);
  return h(
    "section",
    { class: "prompt", key: "prompt", "data-suit": suit },
    h("p", { class: "big" }, player && seatBadge(seatOf(view, player) ?? "?"), player && " ", title),
    sub && h("p", { class: "sub" }, sub),
  );
}

// Who pays whom, in coins that people have in front of them.
function payments(view) {
  if (!view.payments?.length) return null;
  return h(
    "section",
    { class: "panel payments", key: "payments", "aria-label": t("payments") },
    paymentRows(view.payments, (name) => seatOf(view, name)),
  );
}

function deck(view) {
  const out = view.discards?.length || view.gone?.length || 0;
  return h(
    "p",
    { class: "deck-line", key: "deck" },
    h("span", { class: "deck", "data-place": "deck", "aria-hidden": "true" }),
    h("span", {}, t("in_deck", { count: view.left })),
    out > 0 && h("span", {}, t("discarded", { count: out })),
    view.cuts > 0 && h("span", {}, sign("cut"), t("cuts", { count: view.cuts })),
  );
}

// Screen readers hear the newest sentence of the log.
const newest = (view) => view.log?.at(-1);
start("room", draw, {
  onView: (view, before) => newest(view)?.seq !== newest(before)?.seq && announce(newest(view)?.text),
  onDrawn: keepFitting(),
  onDraw: (redraw, view, before) => moving(redraw, flights(view, before)),
});
