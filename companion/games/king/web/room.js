// King of Roulette as the room sees it, live and in the history.

import { h } from "../../js/dom.js";
import { people } from "../../js/aside.js";
import { t } from "../../js/page.js";
import { spaceName } from "./choices.js";
import { reveal, verdict } from "./reveal.js";

/** The final verdict, the reveal until somebody has sealed something new, else who has; while it is `shown`, a reveal. */
export const board = (view, shown = false) =>
  h(
    "section",
    { class: "stage", key: "stage", "data-whole": shown || isRevealed(view) ? "" : null },
    shown ? reveal(view) : stage(view),
  );

/** Who sits round it. */
export const around = (view) =>
  people(view, (name) => name === view.king && h("i", { class: "crown", title: t("king") }, "♛"));

/** There are no cards. */
export const lastCard = () => null;

/** Garnets come from the house without a show: the points have theirs. */
export const flights = () => ({});

function isRevealed(view) {
  const fresh = view.ready.bets.length === 0 && !view.ready.rule && !view.ready.guess;
  return view.revealed && (fresh || view.phase !== "round");
}

function stage(view) {
  if (!isRevealed(view)) return sealedNow(view);
  return view.final ? [verdict(view), reveal(view)] : reveal(view);
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
