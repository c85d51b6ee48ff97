// The table view of the Rugen games, for the room: a TV across it, a tablet, a phone.

import { announce, h } from "../../js/dom.js";
import { cameraLine, extras, justNow } from "../../js/aside.js";
import { moving } from "../../js/motion.js";
import { keepFitting } from "../../js/fit.js";
import { t } from "../../js/page.js";
import { coinRow, partyName, seatBadge } from "../../js/pieces.js";
import { spotName } from "./parts.js";
import { around, board, flights, lastCard, narrow } from "./room.js";
import { sideBets } from "./spaces.js";
import { promptOf } from "./words.js";
import { moreRow, paidRows, winText } from "../../js/sums.js";
import { header, phaseOf, phasePill, start } from "../../js/shell.js";

function draw(page) {
  const { view } = page;
  return [
    header(page, [phasePill(view)]),
    h(
      "main",
      { id: "main", class: `room rugen ${view.game} phase-${phaseOf(view)}`, key: "main" },
      h("h1", { class: "quiet" }, t("title_table")),
      board(view),
      side(view),
      around(view),
    ),
  ];
}

function side(view) {
  return h(
    "aside",
    { class: "side", key: "side" },
    prompt(view),
    lastCard(view),
    paid(view),
    sideBets(view),
    extras(view),
    view.trouble && h("p", { class: "panel error", key: "trouble" }, view.trouble),
    cameraLine(view),
    justNow(view),
  );
}

function prompt(view) {
  const { title, sub, player } = promptOf(view);
  const seat = player && view.players.find((one) => one.name === player)?.seat;
  return h(
    "section",
    { class: "prompt", key: "prompt" },
    h("p", { class: "big" }, seat && [seatBadge(seat), " "], title),
    sub && h("p", { class: "sub" }, sub),
  );
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

const newest = (view) => view.log?.at(-1);
narrow.addEventListener("change", () => page.redraw());
const page = start("room", draw, {
  onView: (view, before) => newest(view)?.seq !== newest(before)?.seq && announce(newest(view)?.text),
  onDrawn: keepFitting(),
  onDraw: (redraw, view, before) => moving(redraw, flights(view, before)),
});
