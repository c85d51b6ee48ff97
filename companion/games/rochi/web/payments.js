// Who pays whom on the room's screen: payments with something in common stand under one heading, so that names are
// said once.

import { h } from "../../js/dom.js";
import { t } from "../../js/page.js";
import { chipsFor, coinRow, partyName, route, seatBadge } from "../../js/pieces.js";
import { moreRow } from "../../js/sums.js";

const MANY = 8; // above this, a player's coins out of several pots are one row

/** All payments as rows. `seatOf` finds a player's seat. */
export function paymentRows(payments, seatOf) {
  const listed = payments.length > MANY ? potsTogether(payments) : payments;
  return h(
    "ul",
    { "data-rows": "" },
    groups(listed).map((group) => rowsOf(group, seatOf)),
    moreRow(),
  );
}

/** Coins that somebody gets out of several pots, as one payment. */
function potsTogether(payments) {
  const pots = (to) => payments.filter((one) => one.to === to && one.from.startsWith("pot/"));
  const first = (one) => pots(one.to)[0] === one;
  return payments
    .filter((one) => !one.from.startsWith("pot/") || first(one))
    .map((one) => {
      const coins = one.from.startsWith("pot/") ? pots(one.to) : [one];
      return coins.length > 1 ? { from: "pots", to: one.to, coins: sum(coins), chips: chipsFor(sum(coins)) } : one;
    });
}

const sum = (payments) => payments.reduce((coins, one) => coins + one.coins, 0);

/** Grouped by who is paid or by who pays, whichever says fewer names. */
export function groups(payments) {
  const by = (side) => {
    const found = new Map();
    for (const one of payments) found.set(one[side], [...(found.get(one[side]) || []), one]);
    return [...found].map(([name, list]) => ({ side, name, list }));
  };
  const [payees, payers] = [by("to"), by("from")];
  return payees.length <= payers.length ? payees : payers;
}

function rowsOf({ side, name, list }, seatOf) {
  if (list.length === 1)
    return h(
      "li",
      { key: `${list[0].from}/${list[0].to}`, "data-row": "" },
      route(list[0]),
      coinRow(list[0].coins, list[0].chips),
    );
  const other = side === "to" ? "from" : "to";
  return [
    h(
      "li",
      { key: `sum/${name}`, class: "sum" },
      badge(name, seatOf),
      t(side === "to" ? "gets_sum" : "pays_sum", { player: partyName(name), coins: sum(list) }),
    ),
    list.map((one, i) =>
      h(
        "li",
        { key: `${i}/${one.from}/${one.to}`, "data-row": "" },
        h("span", { class: "who" }, badge(one[other], seatOf), partyName(one[other])),
        coinRow(one.coins, one.chips),
      ),
    ),
  ];
}

const badge = (name, seatOf) => seatOf(name) && [seatBadge(seatOf(name)), " "];
