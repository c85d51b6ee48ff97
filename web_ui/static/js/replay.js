// A hand step by step, of a game that draws no table of its own.

import * as room from "./plain.js";
import { runReplay } from "./replay_page.js";

runReplay(room, "plain-room");
