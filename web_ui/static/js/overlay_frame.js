// The frame of the table over a video: who has how much, what comes next, and for a while how the last round ended.

import { h, render } from "./dom.js";
import { follow, loadAnew } from "./live.js";
import { data, number, t } from "./page.js";

const RESULT_MS = 9000;
const app = document.getElementById("app");
const parts = new Set(data.parts);
const shown = { view: data.view, result: null, timer: 0 };
document.documentElement.style.setProperty("--scale", document.documentElement.dataset.scale);

/**
 * Run the overlay of a game.
 * @param {object} its line(view): a line of the game's own below what comes next, such as a clock; none if null
 * @returns {function} draws it again
 */
export function runOverlay({ line = () => null } = {}) {
  const draw = () => drawAll(line);
  follow("room", {
    onView(view) {
      const before = shown.view;
      if (view.game !== before.game || view.session !== before.session) return loadAnew();
      shown.view = view;
      if (view.rounds > before.rounds) showResult(view, draw);
      else if (view.rounds < before.rounds) shown.result = null;
      draw();
    },
    onState: (live) => document.documentElement.classList.toggle("stale", live === false),
  });
  draw();
  return draw;
}

function drawAll(line) {
  const { view, result } = shown;
  const own = parts.has("prompt") && line(view);
  render(app, [
    h("h1", { class: "quiet", key: "title" }, data.title ?? view.game),
    parts.has("prompt") &&
      h(
        "p",
        { class: "plate", key: "prompt" },
        h("small", {}, data.title ?? view.game),
        view.hold ?? view.prompt ?? "",
      ),
    own && h("p", { class: "plate", key: "own" }, own),
    parts.has("result") && result && h("p", { class: "plate result", key: "result" }, result),
    h("div", { class: "grow", key: "grow" }),
    parts.has("players") &&
      h(
        "ul",
        { class: "players", key: "players" },
        view.players.map((one) => player(one, view)),
      ),
  ]);
}

const player = (one, view) =>
  h(
    "li",
    { key: one.name, class: one.name === view.turn ? "player turn" : "player" },
    h("b", {}, one.name),
    h("span", {}, number(one.coins)),
    one.staked > 0 && h("em", {}, `${t("staked")} ${number(one.staked)}`),
  );

/** What ended the round: the newest sentence of the log when one more round is decided. */
function showResult(view, draw) {
  shown.result = view.log?.at(-1)?.text ?? null;
  clearTimeout(shown.timer);
  shown.timer = setTimeout(() => {
    shown.result = null;
    draw();
  }, RESULT_MS);
}
