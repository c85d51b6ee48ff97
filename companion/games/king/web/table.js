// The room's screen of King of Roulette: who has sealed a choice, the reveal as a show, the points.

import { h } from "../../js/dom.js";
import { extras } from "../../js/aside.js";
import { t } from "../../js/page.js";
import { runRoom } from "../../js/room_frame.js";
import { scores } from "./choices.js";
import { SHOW_MS } from "./reveal.js";
import { around, board } from "./room.js";

const MOST_NAMES = 6;

const roundOf = (view) =>
  view.king && h("span", { class: "pill mild" }, t("round_of", { n: view.round, all: view.all_rounds }));

/** What is to be done next. Of many people only how many they are: their seals tell who. */
function promptOf(view) {
  if (view.waiting.length > MOST_NAMES) return t("wait_many", { count: view.waiting.length });
  return view.phase === "succession" && view.tied.length > MOST_NAMES
    ? t("wait_elect", { king: view.king })
    : view.prompt;
}

const less = matchMedia("(prefers-reduced-motion: reduce)");
let past = null;
let timer = 0;

/** While a reveal is shown, all else stays as it was before: the points and who is asked would tell how it ends. */
function onView(view, before) {
  const isNew = view.revealed && view.revealed.round > (before.revealed?.round ?? 0);
  if (isNew && !view.hold && !less.matches && !document.hidden) {
    past = before;
    clearTimeout(timer);
    timer = setTimeout(end, SHOW_MS);
  } else if (past && (view.hold || view.revealed?.round !== past.round)) past = null;
}

function end() {
  past = null;
  page.redraw();
}

const page = runRoom({
  look: () => "king",
  pills: roundOf,
  links: ["/odds", "/history", "/dealer"],
  board: (view) => board(view, past !== null),
  past: () => past,
  onView,
  around,
  prompt: (view) => ({ title: promptOf(view) }),
  side: (view) => [scores(view), extras(view)],
  camera: false,
});
