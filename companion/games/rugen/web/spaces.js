// Street and Capital Rugen: the four numbers, who has them, and the markers of the chain; Street's side bets.

import { h } from "../../js/dom.js";
import { number, t } from "../../js/page.js";
import { coinRow, seatBadge, whoTag } from "../../js/pieces.js";
import { die, NUMBERS } from "./parts.js";
import { costOf } from "./words.js";

const seatOf = (view, name) => view.players.find((player) => player.name === name)?.seat ?? "?";

/** All four numbers, and what lies on them together. `options.extra(n)` adds something to a number's space. */
export const spaces = (view, options = {}) => [
  h(
    "section",
    { class: "numbers", key: "numbers", "aria-label": t("numbers") },
    NUMBERS.map((n) => one(n, view, options)),
  ),
  allStakes(view),
];

/** What the winner of the chain takes: all stakes together. */
function allStakes(view) {
  const coins = view.wager.claims.reduce((sum, claim) => sum + claim.amount, 0);
  return (
    coins > 0 &&
    h(
      "p",
      { class: "all-stakes", key: "pot" },
      h("span", { class: "label" }, t("all_stakes")),
      h("b", {}, number(coins)),
    )
  );
}

function one(n, view, { extra }) {
  const claim = view.wager.claims.find((found) => found.number === n);
  const thrown = view.chain.filter((face) => face[0] === String(n));
  const broke = view.chain.length === 0 && view.result?.number === n && view.wager.claims.length === 0;
  const ignored = view.game === "rugen-street" && view.phase === "chain" && !claim;
  const cls = `number-space${broke ? " broke" : ""}${ignored ? " ignored" : ""}${claim ? " claimed" : ""}`;
  return h(
    "article",
    {
      class: cls,
      key: n,
      "data-seat": claim?.player ? seatOf(view, claim.player) : null,
      "aria-label": t("number_n", { n }),
    },
    h(
      "header",
      {},
      h("b", { class: "numeral" }, n),
      h(
        "p",
        { class: "so-far" },
        view.point === n && h("span", { class: "tag strong" }, t("the_point")),
        t("count_of", { count: Math.min(thrown.length, n), of: n }),
      ),
    ),
    h(
      "div",
      { class: "slots" },
      Array.from({ length: n }, (_, i) =>
        thrown[i] ? die(thrown[i], { key: i }) : h("i", { key: i, class: "slot-ring", "aria-hidden": "true" }),
      ),
    ),
    holder(claim, ignored, view),
    cost(n, view),
    extra?.(n, claim),
  );
}

function holder(claim, ignored, view) {
  if (!claim) return h("p", { class: "holder free" }, t(ignored ? "ignored" : "free"));
  return h(
    "p",
    { class: "holder" },
    claim.player
      ? [seatBadge(seatOf(view, claim.player)), whoTag(claim.player)]
      : h("span", { class: "who" }, t("house")),
    coinRow(claim.amount),
  );
}

function cost(n, view) {
  const { unit, house } = costOf(view, n);
  return h(
    "p",
    { class: "cost" },
    t("unit_costs", { coins: unit }),
    house !== undefined && h("span", {}, t("house_pays", { coins: house })),
  );
}

/** Street's side bets, decided ones too. */
export function sideBets(view) {
  if (!view.side_bets?.length) return null;
  return h(
    "section",
    { class: "panel side-bets", key: "sides" },
    h("h2", {}, t("side_bets")),
    h(
      "ul",
      {},
      view.side_bets.map((side, i) =>
        h(
          "li",
          { key: i, class: side.winner ? "decided" : "" },
          side.claims.map((claim) =>
            h(
              "span",
              { key: claim.number, class: `claim${side.number === claim.number ? " won" : ""}` },
              h("b", {}, claim.number),
              claim.player,
              h("small", {}, number(claim.amount)),
            ),
          ),
          side.winner && h("strong", {}, t("side_won", { player: side.winner })),
        ),
      ),
    ),
  );
}
