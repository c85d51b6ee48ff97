// The table view of Rochi and Captain's Rochi, for the room.

import { h } from "../../js/dom.js";
import { extras, wordsButton } from "../../js/aside.js";
import { t } from "../../js/page.js";
import { runRoom } from "../../js/room_frame.js";
import { sign } from "./pieces.js";
import { seatOf } from "./parts.js";
import { promptOf, TERMS } from "./words.js";
import { around, board, flights, lastCard } from "./room.js";

/** Which hand it is, and whether it is the last. */
const pills = (view) => [
  view.hand !== undefined && h("span", { class: "pill mild", key: "hand" }, t("hand_n", { n: view.hand })),
  view.last_hand && h("span", { class: "pill last", key: "last" }, t("last_hand")),
];

function prompt(view) {
  const { title, sub, suit, player } = promptOf(view);
  return { title, sub, suit, seat: player && (seatOf(view, player) ?? "?") };
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

runRoom({
  look: () => "rochi",
  pills,
  more: () => wordsButton(TERMS),
  board,
  around,
  prompt,
  side: (view) => [lastCard(view), extras(view), deck(view)],
  flights,
});
