// A hand of hold'em, step by step.

import * as room from "./room.js";
import { runReplay } from "../../js/replay_page.js";

runReplay(room, "holdem");
