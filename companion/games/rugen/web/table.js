// The table view of the Rugen games, for the room.

import { h } from "../../js/dom.js";
import { extras } from "../../js/aside.js";
import { t } from "../../js/page.js";
import { coinRow, partyName } from "../../js/pieces.js";
import { runRoom } from "../../js/room_frame.js";
import { spotName } from "./parts.js";
import { around, board, flights, lastCard, narrow } from "./room.js";
import { sideBets } from "./spaces.js";
import { promptOf } from "./words.js";
import { moreRow, paidRows, winText } from "../../js/sums.js";

function prompt(view) {
  const { title, sub, player } = promptOf(view);
  return { title, sub, seat: player && view.players.find((one) => one.name === player)?.seat };
}

// What the last throw paid, or who takes the stakes of a chain.
function paid(view) {
  const taken = view.result?.transfers && (view.chain.length === 0 || view.wager.number);
  if (taken)
    return h(
      "section",
      { class: "panel result", key: "paid" },
      h("h2", {}, view.result.winner ? t("wins_all", { player: view.result.winner }) : t("house_wins")),
      winsAll(view),
      h(
        "ul",
        { class: "paid taken", "data-rows": "" },
        view.result.transfers.map((one, i) =>
          h("li", { key: i, "data-row": "" }, h("span", { class: "who" }, partyName(one.from)), coinRow(one.coins)),
        ),
        moreRow(),
      ),
    );
  if (!view.paid_now?.length) return null;
  return h(
    "section",
    { class: "panel result", key: "paid" },
    h("h2", {}, t("paid_throw")),
    paidRows(view.paid_now, spotName),
  );
}

/** What the winner takes from the others, and gets back. */
const winsAll = (view) =>
  view.result.winner &&
  h(
    "p",
    { class: "win" },
    winText({ won: view.result.transfers.reduce((sum, one) => sum + one.coins, 0), amount: view.stake_back }),
  );

const page = runRoom({
  look: (view) => `rugen ${view.game}`,
  board,
  around,
  prompt,
  side: (view) => [lastCard(view), paid(view), sideBets(view), extras(view)],
  flights,
});
narrow.addEventListener("change", () => page.redraw());
