// The reveal: the king's rule, everybody's bet on the spaces, the guess, the points. Shown step by step, as a show.

import { h, unbroken } from "../../js/dom.js";
import { number, t } from "../../js/page.js";
import { spaceName } from "./choices.js";

const STEP_MS = 700;
const [RULE, SPACES, GUESS, POINTS, NEXT, CANDIDATE] = [0, 3, 11, 13, 15, 2]; // the sentence is read before the first space comes
/** How long the show takes, the last appearance included. */
export const SHOW_MS = (NEXT + 1) * STEP_MS;

/** One after the other: each thing has its moment, by the style sheet. */
const at = (step) => ({ style: { "--at": `${step * STEP_MS}ms` } });

/** The last round that was revealed. Its key changes with the round, so the show plays once. */
export function reveal(view) {
  const round = view.revealed;
  const words = round.rule.text;
  return h(
    "section",
    { class: "panel reveal", key: `reveal-${round.round}`, "aria-label": t("reveal_title", { n: round.round }) },
    h("h2", {}, t("reveal_title", { n: round.round })),
    h(
      "blockquote",
      { class: `moment${words.length > 90 ? " long" : ""}`, ...at(RULE) },
      h("p", {}, words),
      h("footer", {}, `♛ ${round.king}`),
    ),
    wheel(view, round),
    guess(round),
    points(round),
    next(view, round),
  );
}

const worth = (round, space) => (round.rule.two === space ? 2 : round.rule.one.includes(space) ? 1 : 0);

function wheel(view, round) {
  const on = (space) => Object.keys(round.bets).filter((name) => round.bets[name] === space);
  return h(
    "ol",
    { class: "wheel" },
    view.spaces.map((space, i) =>
      h(
        "li",
        { key: String(space), class: `moment space earns-${worth(round, space)}`, ...at(SPACES + i) },
        h("b", {}, spaceName(space)),
        worth(round, space) > 0 && h("small", {}, t("points_n", { count: worth(round, space) })),
        h(
          "ul",
          {},
          on(space).map((name) => h("li", { key: name }, name, round.bonus.includes(name) && h("i", {}, " ×2"))),
        ),
      ),
    ),
  );
}

function guess(round) {
  const right = round.points[round.king] > 0;
  return h(
    "p",
    { class: `moment guess ${right ? "good" : "bad"}`, ...at(GUESS) },
    round.earned > 0 ? t("earned_n", { count: round.earned }) : t("earned_none"),
    " ",
    unbroken(t(right ? "guess_right" : "guess_wrong", { king: round.king, range: round.guess })),
  );
}

const points = (round) =>
  h(
    "ul",
    { class: "moment gained", ...at(POINTS) },
    Object.entries(round.points)
      .filter(([, won]) => won > 0)
      .map(([name, won]) => h("li", { key: name }, name, " ", h("b", {}, `+${number(won)}`))),
  );

const next = (view, round) =>
  (round.next_king || (view.round > round.round && view.king)) &&
  h("p", { class: "moment next-king", ...at(NEXT) }, t("next_king", { king: round.next_king || view.king }));

/** How the game ended. */
export const verdict = (view) =>
  h(
    "section",
    { class: "panel verdict", key: "verdict" },
    h("h2", {}, t("game_over")),
    Object.entries(view.final.tokens).map(([name, count]) =>
      h("p", { class: "moment big wins", key: name }, t("wins_tokens", { name, count })),
    ),
    Object.keys(view.final.tokens).length === 0 && h("p", { class: "moment big", key: "none" }, t("no_tokens")),
    h(
      "p",
      { class: "moment candidate", key: "candidate", ...at(CANDIDATE) },
      t("candidate_is", { name: view.final.candidate }),
    ),
  );
