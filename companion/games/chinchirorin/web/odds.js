// What both sides of a round are worth now.

import { h } from "../../js/dom.js";
import { oddsPage } from "../../js/odds_table.js";
import { t } from "../../js/page.js";
import { start } from "../../js/shell.js";
import { sideName } from "./parts.js";

const note = () => h("p", { class: "hint", key: "note" }, t("odds_sides"));

start("room", (page) => oddsPage(page, { name: sideName, note: note() }));
