// The table view, for the room, of a game that has none of its own.

import { announce, h } from "./dom.js";
import { cameraLine, extras, justNow } from "./aside.js";
import { t } from "./page.js";
import { around, board, outcome, promptOf } from "./plain.js";
import { header, phaseOf, phasePill, start } from "./shell.js";

function draw(page) {
  const { view } = page;
  const classes = `room plain-room ${view.game} phase-${phaseOf(view)}`;
  return [
    header(page, [phasePill(view)]),
    h(
      "main",
      { id: "main", class: classes, key: "main" },
      h("h1", { class: "quiet" }, t("title_table")),
      board(view),
      side(view),
      around(view),
    ),
  ];
}

const side = (view) =>
  h(
    "aside",
    { class: "side", key: "side" },
    prompt(view),
    outcome(view),
    extras(view),
    view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble),
    cameraLine(view),
    justNow(view),
  );

const prompt = (view) =>
  h(
    "section",
    { class: "prompt", key: "prompt" },
    h("p", { class: "big" }, promptOf(view)),
    view.hold && h("p", { class: "sub" }, t("sub_hold", { why: view.hold })),
  );

const newest = (view) => view.log?.at(-1);
start("room", draw, {
  onView: (view, before) => newest(view)?.seq !== newest(before)?.seq && announce(newest(view)?.text),
});
