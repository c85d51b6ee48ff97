// Over a video: beside players and results the clock of a tournament, its level and blinds.

import { runOverlay } from "../../js/overlay_frame.js";
import { clockLine, ticking } from "./tournament.js";

ticking(runOverlay({ line: clockLine }));
