// The table view of blackjack, for the room.

import { extras } from "../../js/aside.js";
import { runRoom } from "../../js/room_frame.js";
import { shrink } from "../../js/shrink.js";
import { ending, spotName } from "./parts.js";
import { around, board } from "./room.js";

runRoom({
  look: () => "blackjack",
  board,
  around,
  side: (view) => [extras(view), ending(view)],
  spotName,
  fitted: () => shrink(".board-bj"),
});
