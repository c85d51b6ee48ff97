// The spots of Roche's layout in words, and what has to happen for the worst that the house can lose.

import { cardName, suitName, t } from "../../js/page.js";

/** Return a bet's spot in words: "Kin cuts". */
export function spotName(on) {
  const [kind, what] = on.split("/");
  if (kind === "cavalry") return t("spot_cavalry");
  if (/^\d$/.test(what)) return t(`spot_${kind}`, { suit: suitName(what) });
  return t(`spot_${kind}`, { card: cardName(what) });
}

/** Return the suit that a spot belongs to, or null. */
export const spotSuit = (on) => (on.includes("/") ? Number(on.split("/")[1][0]) : null);

/** What has to happen for the worst that this round can cost the house. */
export const cause = ({ half, cut, cavalry }) =>
  [t(`risk_cut_${half}`, { suit: suitName(cut) }), cavalry && t("risk_cavalry")].filter(Boolean).join(", ");
