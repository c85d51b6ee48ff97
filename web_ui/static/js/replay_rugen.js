// A hand of Rugen, step by step.

import * as room from "./room_rugen.js";
import { runReplay } from "./replay_page.js";

runReplay(room);
