// The dealer's console for roulette: call the bets, say where the ball rests, pay.

import { h } from "../../js/dom.js";
import { bettor, whoTabs } from "../../js/betting.js";
import { chips } from "../../js/chips.js";
import { act, can, demoGoesOn, local, order, redraw, roomy, runConsole, show } from "../../js/console.js";
import { data, t } from "../../js/page.js";
import { playersTab } from "../../js/players.js";
import { betRows, newChoice, sheet } from "./betting.js";
import { felt } from "./felt.js";
import { hotNumbers, lastNumbers, wheelTest } from "./numbers.js";
import { payouts } from "./payouts.js";
import { cause, pocketName, spotName } from "./spots.js";
import { wheel } from "./wheel.js";

const choosing = { player: null, choice: newChoice(), at: { pocket: null } };
const bets = bettor("dealer", redraw, spotName);

function step(view) {
  if (view.players.length === 0) return { title: t("step_no_players"), hint: t("step_no_players_hint") };
  return { title: t(`step_${view.phase}`), hint: t(`step_${view.phase}_hint`, { count: view.staked }) };
}

function mainActions(view) {
  const found = [];
  if (can(view, "no-more-bets"))
    found.push({ id: "no-more-bets", label: t("do_no-more-bets"), run: () => order({ do: "no-more-bets" }) });
  if ((local.demo?.can_deal || local.demo?.busy) && can(view, "spin")) found.push(demoGoesOn("demo_spin"));
  else if (can(view, "spin") && roomy.matches && local.tab !== "bets")
    found.push({ id: "wheel", label: t("step_spin"), run: () => show("bets") });
  return found;
}

/** Where the ball rests: no bets are taken then, and the wheel has their place. */
const spinning = (view) =>
  can(view, "spin") &&
  wheel({
    at: choosing.at,
    busy: local.busy.has("spin"),
    onPocket: (pocket) => order({ do: "spin", pocket }),
    redraw,
  });

function betsTab(view) {
  const player = view.players.find((one) => one.name === choosing.player) ?? view.players[0];
  const open = can(view, "bet");
  const players = new Set(view.players.map((one) => one.name));
  if (!player) return h("p", { class: "hint" }, t("no_players"));
  const lying = roomy.matches;
  return [
    roomy.matches && spinning(view),
    open && whoTabs(view, player, (name) => ((choosing.player = name), redraw())),
    !open && h("p", { class: "hint", key: "closed" }, t("bets_closed")),
    open && chips(choosing.choice, redraw),
    open && sheet(view, choosing.choice, { player: player.name, bets, enabled: true, redraw, lying }),
    h("ul", { class: "bet-list", key: "list" }, betRows(view, { players, bets, open })),
  ];
}

/** The pocket in which the ball rests, typed. */
function typedPocket(view, [word, ...more]) {
  if (!can(view, "spin") || more.length > 0) return null;
  if (!data.rim.includes(word)) return { say: t("quick_no_pocket") };
  return { say: pocketName(word), run: () => order({ do: "spin", pocket: word }) };
}

runConsole({
  byHand: "bets",
  demo: { deal: "demo_spin", gather: "demo_clear" },
  tabs: ["bets"],
  pills: () => null,
  step,
  mainActions,
  verbs: (view) => !roomy.matches && spinning(view),
  lead: (view) => view.phase === "betting" && payouts(view, redraw),
  board: (view) => [felt(view, { lying: true }), lastNumbers(view), hotNumbers(view), wheelTest(view)],
  bodies: { bets: betsTab, players: (view) => playersTab(view, { act, order, can, busy: local.busy }) },
  tabKeys: { b: "bets", p: "players", v: "camera", l: "log" },
  quick: {
    bare: "straight",
    hint: "quick_hint_wheel",
    read: typedPocket,
    examples: [
      ["3 17 5", "key_bet_number"],
      ["red 10", "key_bet_outside"],
      ["sp17-20 5", "key_bet_split"],
    ],
  },
  spotName,
  cause,
});
