// Asking the table for something by a tap: nothing is shown as done before the table has confirmed it, and a second tap
// while the first is on its way, or just after it, is none. With it: bets on the layout, placed and taken back.

import { h } from "./dom.js";
import { has, number, priceText, t } from "./page.js";
import { seatBadge, whoTag } from "./pieces.js";
import { command } from "./send.js";
import { toast } from "./shell.js";

const DOUBLE_TAP_MS = 450;
const UNSEEN_MS = 400; // as on the dealer's page

/**
 * Do something once, however often it is tapped; the table's word decides. `act` resolves to whether it was done.
 *
 * @param {string} viewer who asks
 * @param {function} redraw
 */
export function once(viewer, redraw) {
  const busy = new Set();
  let [offered, early, timer] = [null, false, 0];
  const has = (name) => early || busy.has(name);
  /**
   * What is offered now, told at each drawing. Once it is something else, nothing can be done for a blink: what is
   * pressed has come, or moved, to where another button was, and a finger that comes down now was meant for that one.
   */
  const offer = (what) => {
    early ||= offered !== null && what !== offered;
    if (what === offered) return;
    offered = what;
    clearTimeout(timer);
    if (early) timer = setTimeout(() => ((early = false), redraw()), UNSEEN_MS);
  };
  const act = async (name, record, say = said(viewer, record), after = null) => {
    if (has(name)) return false;
    let done = false;
    busy.add(name);
    redraw();
    const began = Date.now();
    try {
      const { events } = await command(viewer, record, after);
      done = true;
      toast(say(events));
    } catch (error) {
      toast(error.message, "error");
    }
    setTimeout(() => (busy.delete(name), redraw()), Math.max(0, DOUBLE_TAP_MS - (Date.now() - began)));
    return done;
  };
  return { busy: { has }, act, offer };
}

/** What was done, as a phone says it to its own player where there are words for it; else as everybody hears it. */
function said(viewer, record) {
  const own = `you_did_${record.do}`;
  return isPhone(viewer) && has(own)
    ? () => t(own, { ...record, count: record.units })
    : (events) => events.find((event) => event.text)?.text ?? "";
}

const isPhone = (viewer) => viewer.startsWith("seat/");

/**
 * @param {string} viewer who bets
 * @param {function} redraw
 * @param {function(string): string} spotName a spot in words
 */
export function bettor(viewer, redraw, spotName = (on) => on) {
  const { busy, act } = once(viewer, redraw);
  const id = (player, on) => `${player}/${on}`;
  /** Which spots wait for the table's word about this player: another one's bet there is another thing. */
  const pendingOf = (player) => ({ has: (on) => busy.has(id(player, on)) });
  const takeBack = (player, on, amount) =>
    act(id(player, on), { do: "take-back", player, on }, () =>
      t(isPhone(viewer) ? "you_took_back" : "taken_back", { amount, spot: spotName(on) }),
    );
  return {
    pendingOf,
    bet(player, on, amount) {
      return act(id(player, on), { do: "bet", player, on, amount }, (events) => {
        const idle = events.find((event) => event.event === "BetPlaced")?.idle;
        const text = t(isPhone(viewer) ? "you_placed" : "placed", { player, amount, spot: spotName(on) });
        return idle ? `${text}. ${t("idle", { idle })}` : text;
      });
    },
    takeBack,
    /** A placed bet as a line of a list; with a button that takes it back, and with whose it is: name and seat. */
    line(bet, { open, named = false, seat = null }) {
      const { player, on, amount } = bet;
      const what = t("take_back_what", { amount, spot: spotName(on) });
      return h(
        "li",
        { key: named ? id(player, on) : on },
        h(
          "span",
          {},
          seat && [seatBadge(seat), " "],
          named && [h("strong", {}, player), " "],
          spotName(on),
          h("small", {}, t("pays", { price: priceText(bet.pays) })),
        ),
        h("b", {}, number(amount)),
        open &&
          h(
            "button",
            {
              type: "button",
              class: "quiet-button",
              "aria-label": named ? `${player}: ${what}` : what,
              "aria-disabled": busy.has(id(player, on)) ? "true" : null,
              onclick: () => takeBack(player, on, amount),
            },
            t("take_back"),
          ),
      );
    },
  };
}

/** For whom the dealer places bets: `choose(name)` is called with another. */
export const whoTabs = (view, player, choose) =>
  h(
    "div",
    { class: "who-tabs", key: "who", role: "group", "aria-label": t("bets_for") },
    view.players.map((one) =>
      h(
        "button",
        {
          type: "button",
          key: one.seat,
          class: "player-button",
          "aria-pressed": String(one === player),
          onclick: () => choose(one.name),
        },
        seatBadge(one.seat),
        whoTag(one.name),
        h("b", {}, number(one.coins)),
      ),
    ),
  );
