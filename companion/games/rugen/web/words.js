// What to do next at the Rugen tables, in the page's own language.

import { t } from "../../js/page.js";
import { faceName } from "./parts.js";

/** The one thing to do next: {title, sub, player}. */
export function promptOf(view) {
  if (view.hold) return { title: t("prompt_hold"), sub: t("sub_hold", { why: view.hold }) };
  const said = SAID[view.game]?.[view.phase];
  return said ? said(view) : { title: view.prompt };
}

const broke = (view) => view.result && t("broke", { n: view.result.number, face: faceName(view.result.face) });

const SAID = {
  "rugen-house": {
    "chain-start": (view) => ({ title: broke(view) || t("new_chain"), sub: t("chain_start_sub") }),
    chain: (view) => ({ title: faceName(view.last), sub: t("chain_sub") }),
  },
  "rugen-street": {
    point: (view) =>
      view.shooter
        ? { title: t("throws_point", { player: view.shooter }), sub: broke(view), player: view.shooter }
        : { title: t("no_players") },
    stake: (view) => ({
      title: t("stakes_on", { player: view.shooter, n: view.point }),
      sub: t("stake_sub", { unit: view.units[view.point] }),
      player: view.shooter,
    }),
    taking: (view) => ({ title: t("who_takes"), sub: t("taking_sub_street", { count: view.wager.units }) }),
    chain: (view) => ({
      title: view.last ? faceName(view.last) : t("throws_chain", { player: view.shooter }),
      sub: t(view.wager.number ? "side_bets_on" : "street_chain_sub"),
    }),
  },
  "rugen-capital": {
    taking: (view) => ({
      title: (!view.wager.units && broke(view)) || t("who_takes"),
      sub: view.wager.units ? t("taking_sub_street", { count: view.wager.units }) : t("taking_sub_capital"),
    }),
    chain: (view) => ({ title: view.last ? faceName(view.last) : t("throw_chain"), sub: t("capital_chain_sub") }),
  },
};

/** What a number costs: {unit, house} coins a unit; null where numbers are not taken. */
export function costOf(view, n) {
  if (view.game === "rugen-street") return { unit: view.units[n] };
  if (view.game === "rugen-capital") return { unit: view.schedule.player[n - 1], house: view.schedule.house[n - 1] };
  return null;
}

/** What has to happen for the worst that this chain can cost the house. */
export function cause(worst) {
  if (worst.taken) return t("risk_taken", { numbers: worst.taken.join(", ") });
  if (worst.face && worst.broken) return t("risk_then", { face: faceName(worst.face), face2: faceName(worst.broken) });
  return worst.face
    ? t("risk_face", { face: faceName(worst.face) })
    : t("risk_broken", { face: faceName(worst.broken) });
}
