// A hand of Roche, step by step.

import * as room from "./room_roche.js";
import { runReplay } from "./replay_page.js";

runReplay(room);
