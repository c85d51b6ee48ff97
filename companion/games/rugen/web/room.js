// The Rugen tables as the room sees them, live and in the history.

import { h } from "../../js/dom.js";
import { people } from "../../js/aside.js";
import { betsInWords, closedLegend } from "../../js/felt_svg.js";
import { t } from "../../js/page.js";
import { placeOf } from "../../js/pieces.js";
import { chainStrip, die, faceName, houseFelt, spotName } from "./parts.js";
import { spaces } from "./spaces.js";

/** On a narrow window the felt has two columns. */
export const narrow = matchMedia("(max-width: 43.75em)");

/** What lies on the table. */
export const board = (view) =>
  h(
    "section",
    { class: "board-rugen", key: "board" },
    view.game === "rugen-house"
      ? [houseFelt(view, { columns: narrow.matches ? 2 : 4 }), closedLegend(view), betsInWords(view.bets, spotName)]
      : spaces(view),
    chain(view),
  );

function chain(view) {
  const now = view.chain.length > 0;
  const faces = now ? view.chain : view.result?.chain || [];
  if (faces.length === 0)
    return h(
      "section",
      { class: "chain-place", key: "chain" },
      h("h2", { class: "label" }, t("chain")),
      h("p", { class: "hint" }, t("chain_empty")),
    );
  return h(
    "section",
    { class: "chain-place", key: "chain" },
    h("h2", { class: "label" }, now ? t("chain_of", { count: faces.length }) : t("chain_last")),
    chainStrip(faces, { broken: !now }),
  );
}

/** Who sits round it, and the bank. */
export const around = (view) => people(view, shooter(view));

const shooter = (view) => (name) => name === view.shooter && h("span", { class: "tag strong shooter" }, t("shooter"));

/** The throw that was the last, large. */
export function lastCard(view) {
  const face = view.last || view.result?.face;
  return (
    face &&
    h(
      "section",
      { class: "last-die", key: "die", "data-place": "die" },
      die(face, { key: `${view.chain.length}/${face}`, class: "large" }),
      h("div", {}, h("h2", { class: "label" }, t("last_throw")), h("p", { class: "name" }, faceName(face))),
    )
  );
}

/** Dice come from the die that is shown large, coins from who pays. */
export const flights = (view, before) => ({
  originOf: () => "die",
  payments:
    view.seq === before.seq
      ? []
      : (view.payments || []).map((one) => ({ from: placeOf(one.from), to: placeOf(one.to), chips: one.chips })),
});
