// A game of King of Roulette, step by step.

import * as room from "./room.js";
import { runReplay } from "../../js/replay_page.js";

runReplay(room, "king");
