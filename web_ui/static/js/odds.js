// What every bet is worth now, for a game that has no odds page of its own: one table, or a line where it has no odds.

import { oddsPage } from "./odds_table.js";
import { spotName } from "./plain.js";
import { start } from "./shell.js";

start("room", (page) => oddsPage(page, { name: spotName }));
