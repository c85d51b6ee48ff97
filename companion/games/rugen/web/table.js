// The table view of the Rugen games, for the room.

import { h } from "../../js/dom.js";
import { extras } from "../../js/aside.js";
import { t } from "../../js/page.js";
import { runRoom } from "../../js/room_frame.js";
import { spotName } from "./parts.js";
import { around, board, flights, lastCard, narrow } from "./room.js";
import { sideBets } from "./spaces.js";
import { promptOf } from "./words.js";

function prompt(view) {
  const { title, sub, player } = promptOf(view);
  return { title, sub, seat: player && view.players.find((one) => one.name === player)?.seat };
}

/** Who takes the stakes of a chain. */
const winner = (view) =>
  view.result?.transfers &&
  (view.chain.length === 0 || view.wager.number) &&
  h(
    "section",
    { class: "panel result", key: "paid" },
    h("h2", {}, view.result.winner ? t("wins_all", { player: view.result.winner }) : t("house_wins")),
  );

const page = runRoom({
  look: (view) => `rugen ${view.game}`,
  board,
  around,
  prompt,
  side: (view) => [lastCard(view), winner(view), sideBets(view), extras(view)],
  spotName,
  flights,
});
narrow.addEventListener("change", () => page.redraw());
