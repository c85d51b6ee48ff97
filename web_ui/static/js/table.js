// The table view, for the room, of a game that has none of its own.

import { extras } from "./aside.js";
import { around, board, outcome, promptOf, spotName } from "./plain.js";
import { onHold, runRoom } from "./room_frame.js";

runRoom({
  look: (view) => `plain-room ${view.game}`,
  board,
  around,
  prompt: (view) => onHold(view) || { title: promptOf(view) },
  side: (view) => [outcome(view), extras(view)],
  spotName,
  fits: false,
});
