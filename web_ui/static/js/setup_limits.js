// Set-up: which limits hold with the bank and the other settings as chosen now, and why; the house reckons them.

import { h } from "./dom.js";
import { number, t } from "./page.js";
import { ask, local, redraw, value } from "./setup_state.js";

const SINGLE = ["min", "max", "cap"];
const MOST_NAMED = 6;

let found = null;
let asked = 0;

/** A bet's spot in words, as the house names it. */
const spotIn = (on) => found.spots[on] ?? on;

/** What the bank proposes for a limit that the owner has left out, for its empty field. */
export function proposal(key) {
  const name = key.replace("table.", "");
  return found?.limits?.from_bank.includes(name) && value(key) === null ? number(found.limits[name]) : null;
}

/** The limits in words; without a bank, what one bet can cost. */
export function limitsPart(played) {
  if (!found?.limits || found.game !== played) return null;
  const { bank, one_bet: bet, closed, from_bank: share } = found.limits;
  const single = SINGLE.filter((name) => found.limits[name] !== null).map((name) =>
    t(share.includes(name) ? "risk_share" : "risk_own", { text: t(`risk_limit_${name}`, { n: found.limits[name] }) }),
  );
  return h(
    "section",
    { class: `panel limits${bet ? " none" : ""}`, key: "limits", role: "status" },
    h("h3", {}, t("limits_title")),
    bet &&
      h(
        "p",
        { class: "error", key: "none" },
        t("risk_open", { win: number(bet.win), coins: number(bet.coins), spot: spotIn(bet.on) }),
      ),
    bank !== null && h("p", { key: "bank" }, t("limits_bank", { n: bank })),
    single.length > 0 &&
      h(
        "ul",
        { key: "single" },
        single.map((text) => h("li", { key: text }, text)),
      ),
    closed.length > 0 && h("p", { class: "hint", key: "closed" }, t("limits_closed", { spots: named(closed) })),
  );
}

function named(closed) {
  const names = closed.map((on) => spotIn(on));
  const shown = names.slice(0, MOST_NAMED).join(", ");
  return names.length > MOST_NAMED ? t("limits_more", { spots: shown, n: names.length - MOST_NAMED }) : shown;
}

/** Ask for the limits of what is chosen now; what cannot be is said when it is saved. */
export async function loadLimits() {
  const played = value("table.game");
  const counts = (key) => key.startsWith("table.") || key.startsWith(`${played}.`); // what the limits depend on
  const changes = Object.fromEntries(Object.entries(local.form).filter(([key]) => counts(key)));
  asked += 1;
  const mine = asked;
  const answer = await ask("/limits", { changes }).catch(() => null);
  if (mine !== asked) return;
  found = answer && { ...answer, game: played };
  if (local.state) redraw();
}
