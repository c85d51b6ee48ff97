// The room's screen of King of Roulette: who has sealed a choice, the reveal as a show, the points.

import { announce, h } from "../../js/dom.js";
import { extras, justNow, people } from "../../js/aside.js";
import { t } from "../../js/page.js";
import { header, phaseOf, phasePill, start } from "../../js/shell.js";
import { scores, spaceName } from "./choices.js";
import { reveal, verdict } from "./reveal.js";

function draw(page) {
  const { view } = page;
  return [
    header(page, [roundOf(view), phasePill(view)], ["/history", "/dealer"]),
    h(
      "main",
      { id: "main", class: `room king phase-${phaseOf(view)}`, key: "main" },
      h("h1", { class: "quiet" }, t("title_table")),
      h("section", { class: "stage", key: "stage" }, stage(view)),
      side(view),
      people(view, (name) => name === view.king && h("i", { class: "crown", title: t("king") }, "♛")),
    ),
  ];
}

const roundOf = (view) =>
  view.king && h("span", { class: "pill mild" }, t("round_of", { n: view.round, all: view.all_rounds }));

/** The final verdict, the reveal until somebody has sealed something new, else who has. */
function stage(view) {
  const fresh = view.ready.bets.length === 0 && !view.ready.rule && !view.ready.guess;
  if (view.final) return [verdict(view), reveal(view)];
  if (view.revealed && (fresh || view.phase !== "round")) return reveal(view);
  return sealedNow(view);
}

function sealedNow(view) {
  const isIn = view.phase === "vote" ? (name) => view.voted.includes(name) : (name) => !view.waiting.includes(name);
  return h(
    "section",
    { class: "panel sealing", key: "sealing" },
    view.king && h("p", { class: "throne" }, h("span", { class: "crown", "aria-hidden": "true" }, "♛"), view.king),
    h(
      "ul",
      { class: "seals" },
      view.players.map(({ name }) =>
        h(
          "li",
          { key: name, class: isIn(name) ? "in" : "out" },
          h("span", { class: "wax", "aria-hidden": "true" }, isIn(name) ? "✓" : "…"),
          h("span", {}, name),
          h("small", {}, t(isIn(name) ? "is_sealed" : "is_open")),
        ),
      ),
    ),
    h(
      "ol",
      { class: "wheel waiting" },
      view.spaces.map((space) => h("li", { key: String(space), class: "space" }, h("b", {}, spaceName(space)))),
    ),
  );
}

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
