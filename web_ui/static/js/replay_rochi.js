// A hand of Rochi, step by step.

import * as room from "./room_rochi.js";
import { runReplay } from "./replay_page.js";

runReplay(room);
