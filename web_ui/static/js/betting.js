// Sending bets from the layout. Nothing is shown as placed before the table has confirmed it, and a second tap while
// the first is on its way, or just after it, is one bet.

import { command } from "./send.js";
import { t } from "./page.js";
import { toast } from "./shell.js";

const DOUBLE_TAP_MS = 450;

/**
 * @param {string} viewer who bets
 * @param {function} redraw
 * @param {function(string): string} spotName a spot in words
 */
export function bettor(viewer, redraw, spotName = (on) => on) {
  const pending = new Set();
  const act = async (on, record, say) => {
    if (pending.has(on)) return;
    pending.add(on);
    redraw();
    const began = Date.now();
    try {
      const { events } = await command(viewer, record);
      toast(say(events));
    } catch (error) {
      toast(error.message, "error");
    }
    setTimeout(
      () => {
        pending.delete(on);
        redraw();
      },
      Math.max(0, DOUBLE_TAP_MS - (Date.now() - began)),
    );
  };
  return {
    pending,
    bet(player, on, amount) {
      return act(on, { do: "bet", player, on, amount }, (events) => {
        const idle = events.find((event) => event.event === "BetPlaced")?.idle;
        const text = t("placed", { player, amount, spot: spotName(on) });
        return idle ? `${text}. ${t("idle", { idle })}` : text;
      });
    },
    takeBack(player, on, amount) {
      return act(on, { do: "take-back", player, on }, () => t("taken_back", { amount, spot: spotName(on) }));
    },
  };
}
