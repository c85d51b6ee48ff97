// The table view of chinchirorin, for the room.

import { runRoom } from "../../js/room_frame.js";
import { around, board, flights } from "./room.js";

runRoom({ look: () => "chinchirorin", board, around, flights });
