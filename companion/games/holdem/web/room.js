// Hold'em as the room sees it, live and in the history.

import { h } from "../../js/dom.js";
import { placeOf } from "../../js/pieces.js";
import { hands, middle } from "./parts.js";

/** What lies on the table. */
export const board = (view) => h("section", { class: "felt-holdem", key: "board" }, middle(view), hands(view));

/** Who sits round it stands with the hands. */
export const around = () => null;

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
