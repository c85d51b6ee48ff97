// Chinchirorin as the room sees it, live and in the history.

import { h } from "../../js/dom.js";
import { number, t } from "../../js/page.js";
import { placeOf, seatBadge } from "../../js/pieces.js";
import { bank, bowl } from "./parts.js";

/** What lies on the table. */
export const board = (view) => h("section", { class: "board-bowl", key: "board" }, bowl(view), bank(view));

/** Who sits round it; there is no house. */
export const around = (view) =>
  h(
    "footer",
    { class: "people", key: "people", "aria-label": t("players") },
    view.players.length === 0 && h("p", { class: "hint" }, t("no_players")),
    h(
      "ul",
      {},
      view.players.map((player) =>
        h(
          "li",
          { key: player.seat },
          seatBadge(player.seat),
          h("span", { class: "who" }, player.name),
          player.name === view.banker && h("span", { class: "tag strong" }, t("banker")),
          h("b", { "data-place": `player/${player.name}` }, number(player.coins)),
          player.staked > 0 && h("small", {}, t("on_table", { count: number(player.staked) })),
        ),
      ),
    ),
  );

/** The bowl shows the last throw already. */
export const lastCard = () => null;

/** Coins come from who pays. */
export const flights = (view, before) => ({
  originOf: () => "bowl",
  payments:
    view.seq === before.seq
      ? []
      : (view.payments || []).map((one) => ({ from: placeOf(one.from), to: placeOf(one.to), chips: one.chips })),
});
