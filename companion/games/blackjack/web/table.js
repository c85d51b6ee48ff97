// The table view of blackjack, for the room.

import { h } from "../../js/dom.js";
import { extras } from "../../js/aside.js";
import { t } from "../../js/page.js";
import { runRoom } from "../../js/room_frame.js";
import { paidRows } from "../../js/sums.js";
import { spotName } from "./parts.js";
import { around, board } from "./room.js";

const result = (view) =>
  h(
    "section",
    { class: "panel result", key: "result" },
    h("h2", {}, t("result")),
    h("p", { class: "summary" }, view.summary),
    view.settled.length > 0 && paidRows(view.settled, spotName),
  );

runRoom({
  look: () => "blackjack",
  board,
  around,
  side: (view) => [extras(view), view.phase === "betting" && view.result && result(view)],
});
