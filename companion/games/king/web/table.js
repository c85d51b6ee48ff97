// The room's screen of King of Roulette: who has sealed a choice, the reveal as a show, the points.

import { announce, h } from "../../js/dom.js";
import { extras, justNow } from "../../js/aside.js";
import { t } from "../../js/page.js";
import { header, phaseOf, phasePill, start } from "../../js/shell.js";
import { scores } from "./choices.js";
import { around, board } from "./room.js";

function draw(page) {
  const { view } = page;
  return [
    header(page, [roundOf(view), phasePill(view)], ["/history", "/dealer"]),
    h(
      "main",
      { id: "main", class: `room king phase-${phaseOf(view)}`, key: "main" },
      h("h1", { class: "quiet" }, t("title_table")),
      board(view),
      side(view),
      around(view),
    ),
  ];
}

const roundOf = (view) =>
  view.king && h("span", { class: "pill mild" }, t("round_of", { n: view.round, all: view.all_rounds }));

const side = (view) =>
  h(
    "aside",
    { class: "side", key: "side" },
    h(
      "section",
      { class: "prompt", key: "prompt" },
      h("p", { class: "big" }, view.prompt),
      view.hold && h("p", { class: "sub" }, t("sub_hold", { why: view.hold })),
    ),
    scores(view),
    extras(view),
    view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble),
    justNow(view),
  );

const newest = (view) => view.log?.at(-1);
start("room", draw, {
  onView: (view, before) => newest(view)?.seq !== newest(before)?.seq && announce(newest(view)?.text),
});
