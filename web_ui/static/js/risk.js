// What the house has at risk with the bets as they lie, and the limits that hold: for the dealer, above all else.

import { h } from "./dom.js";
import { number, t } from "./page.js";

const LIMITS = ["min", "max", "cap"];

/**
 * The panel with the worst that this round can cost; nothing in a game without a house.
 * @param {import("./types").RoomView} view
 * @param {object} its spotName(on): a spot in words; cause(worst): what has to happen for the worst; atMost(coins): so
 *   many coins, or none, as the most that the house can lose
 */
export function risk(view, { spotName = (on) => on, cause = () => null, atMost = most } = {}) {
  const now = view.risk;
  if (!now) return null;
  return h(
    "section",
    { class: `panel risk${now.is_short || now.one_bet ? " alarm" : ""}`, key: "risk", "aria-label": t("risk_title") },
    h("p", { class: "label" }, t("risk_title")),
    worst(now, spotName, cause, atMost),
    now.is_short &&
      h(
        "p",
        { class: "error", key: "short", role: "alert" },
        t("risk_short", { left: number(now.left), bank: number(now.bank) }),
      ),
    now.one_bet &&
      h(
        "p",
        { class: "error", key: "open", role: "alert" },
        t("risk_open", {
          win: number(now.one_bet.win),
          coins: number(now.one_bet.coins),
          spot: spotName(now.one_bet.on),
        }),
      ),
    now.one_bet && h("a", { class: "button", key: "set", href: "/setup#game" }, t("risk_set")),
    limits(now, view),
  );
}

const most = (coins) => (coins === 0 ? t("risk_none") : t("risk_worst", { coins: number(coins) }));

function worst(now, spotName, cause, atMost) {
  return [
    h("p", { class: "worst", key: "worst" }, atMost(now.worst)),
    now.worst > 0 &&
      h(
        "p",
        { class: "hint", key: "when" },
        [
          cause(now.when),
          now.bet &&
            t("risk_bet", { player: now.bet.player, amount: number(now.bet.amount), spot: spotName(now.bet.on) }),
        ]
          .filter(Boolean)
          .join(". "),
      ),
  ];
}

function limits(now, view) {
  const set = LIMITS.filter((name) => view.limits[name] !== null);
  const said = (key, names) =>
    names.length > 0 &&
    t(key, { text: names.map((name) => t(`risk_limit_${name}`, { n: view.limits[name] })).join(", ") });
  const shares = view.limits.from_bank;
  const bank =
    now.bank !== null &&
    [t("risk_bank", { bank: number(now.bank) }), now.left !== now.bank && t("risk_left", { left: number(now.left) })]
      .filter(Boolean)
      .join(", ");
  const all = [
    bank,
    said("risk_from_bank", shares),
    said(
      "risk_own_limits",
      set.filter((name) => !shares.includes(name)),
    ),
  ].filter(Boolean);
  return all.length > 0 && h("p", { class: "hint limits", key: "limits" }, all.join(" · "));
}
