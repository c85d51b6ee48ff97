// The room's screen of King of Roulette: who has sealed a choice, the reveal as a show, the points.

import { announce, h } from "../../js/dom.js";
import { extras, justNow } from "../../js/aside.js";
import { t } from "../../js/page.js";
import { header, phaseOf, phasePill, start } from "../../js/shell.js";
import { scores } from "./choices.js";
import { around, board } from "./room.js";

const MOST_NAMES = 6;

function draw(page) {
  const { view } = page;
  return [
    header(page, [roundOf(view), phasePill(view)], ["/odds", "/history", "/dealer"]),
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

/** What is to be done next. Of many people only how many they are: their seals tell who. */
function promptOf(view) {
  if (view.waiting.length > MOST_NAMES) return t("wait_many", { count: view.waiting.length });
  return view.phase === "succession" && view.tied.length > MOST_NAMES
    ? t("wait_elect", { king: view.king })
    : view.prompt;
}

const side = (view) =>
  h(
    "aside",
    { class: "side", key: "side" },
    h(
      "section",
      { class: "prompt", key: "prompt" },
      h("p", { class: "big" }, promptOf(view)),
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
