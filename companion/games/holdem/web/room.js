// Hold'em as the room sees it, live and in the history.

import { h } from "../../js/dom.js";
import { seats } from "../../js/aside.js";
import { placeOf } from "../../js/pieces.js";
import { hands, middle, placeTags } from "./parts.js";

/** What lies on the table. */
export const board = (view) => h("section", { class: "felt-holdem", key: "board" }, middle(view), hands(view));

/** Who sits round it; there is no house. */
export const around = (view) => seats(view, (name) => placeTags(view, name));

/** The middle shows the board already. */
export const lastCard = () => null;

/** Coins come from who pays. */
export const flights = (view, before) => ({
  originOf: () => "bowl",
  payments:
    view.seq === before.seq
      ? []
      : (view.payments || []).map((one) => ({ from: placeOf(one.from), to: placeOf(one.to), chips: one.chips })),
});
