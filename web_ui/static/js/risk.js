// What the house has at risk with the bets as they lie, and the limits that hold: for the dealer, above everything else.

import { h } from "./dom.js";
import { number, spotName as rocheSpot, suitName, t } from "./page.js";
import { faceName, spotName as rugenSpot } from "./rugen_parts.js";

const LIMITS = ["min", "max", "cap"];

/** A bet's spot in words, whatever the game against the house. */
export function spotIn(game, on) {
  if (game === "rugen-capital") return t("number_n", { n: on.split("/")[1] });
  return game === "rugen-house" ? rugenSpot(on) : rocheSpot(on);
}

/** The panel with the worst that this round can cost; nothing in a game without a house. */
export function risk(view) {
  const now = view.risk;
  if (!now) return null;
  return h(
    "section",
    { class: `panel risk${now.is_short || now.one_bet ? " alarm" : ""}`, key: "risk", "aria-label": t("risk_title") },
    h("p", { class: "label" }, t("risk_title")),
    worst(now, view),
    now.is_short && h("p", { class: "error", key: "short", role: "alert" }, t("risk_short", { left: number(now.left), bank: number(now.bank) })),
    now.one_bet && h("p", { class: "error", key: "open", role: "alert" }, t("risk_open", { win: number(now.one_bet.win), coins: number(now.one_bet.coins), spot: spotIn(view.game, now.one_bet.on) })),
    now.one_bet && h("a", { class: "button", key: "set", href: "/setup#game" }, t("risk_set")),
    limits(now, view),
  );
}

function worst(now, view) {
  if (now.worst === 0) return h("p", { class: "worst", key: "worst" }, t("risk_none"));
  return [
    h("p", { class: "worst", key: "worst" }, t("risk_worst", { coins: number(now.worst) })),
    h("p", { class: "hint", key: "when" }, [when(now.when), now.bet && t("risk_bet", { player: now.bet.player, amount: number(now.bet.amount), spot: spotIn(view.game, now.bet.on) })].filter(Boolean).join(". ")),
  ];
}

/** What has to happen for it. */
function when(ending) {
  if (ending.taken) return t("risk_taken", { numbers: ending.taken.join(", ") });
  if (ending.cut) return [t(`risk_cut_${ending.half}`, { suit: suitName(ending.cut) }), ending.cavalry && t("risk_cavalry")].filter(Boolean).join(", ");
  if (ending.face && ending.broken) return t("risk_then", { face: faceName(ending.face), face2: faceName(ending.broken) });
  return ending.face ? t("risk_face", { face: faceName(ending.face) }) : t("risk_broken", { face: faceName(ending.broken) });
}

function limits(now, view) {
  const set = LIMITS.filter((name) => view.limits[name] !== null);
  const said = (key, names) => names.length > 0 && t(key, { text: names.map((name) => t(`risk_limit_${name}`, { n: view.limits[name] })).join(", ") });
  const shares = view.limits.from_bank;
  const bank = now.bank !== null && [t("risk_bank", { bank: number(now.bank) }), now.left !== now.bank && t("risk_left", { left: number(now.left) })].filter(Boolean).join(", ");
  const all = [bank, said("risk_from_bank", shares), said("risk_own_limits", set.filter((name) => !shares.includes(name)))].filter(Boolean);
  return all.length > 0 && h("p", { class: "hint limits", key: "limits" }, all.join(" · "));
}
