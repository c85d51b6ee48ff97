// The table over a video, for a game that has nothing of its own to say there.

import { runOverlay } from "./overlay_frame.js";

runOverlay();
