// Chinchirorin as the room sees it, live and in the history.

import { h } from "../../js/dom.js";
import { seats } from "../../js/aside.js";
import { t } from "../../js/page.js";
import { placeOf } from "../../js/pieces.js";
import { bank, bowl, isOut } from "./parts.js";

/** What lies on the table. */
export const board = (view) => h("section", { class: "board-bowl", key: "board" }, bowl(view), bank(view));

/** Who sits round it; there is no house. */
export const around = (view) =>
  seats(view, (name) => {
    if (name === view.banker) return h("span", { class: "tag strong" }, t("banker"));
    const player = view.players.find((one) => one.name === name);
    return player && isOut(view, player) && h("span", { class: "tag" }, t("is_out"));
  });

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
