// The blackjack table as the room sees it, live and in the history.

import { h } from "../../js/dom.js";
import { people } from "../../js/aside.js";
import { felt, house } from "./parts.js";

/** What lies on the table. */
export const board = (view) => h("section", { class: "board-bj", key: "board" }, felt(view), house(view));

/** Who sits round it, and the bank. */
export const around = (view) => people(view);

/** The felt shows every card. */
export const lastCard = () => null;

/** Nothing flies. */
export const flights = () => ({});
