// The dealer's console for a game that has none of its own: its verbs as buttons and forms, its bets, pots and results.

import { act, button, can, local, order, redraw, runConsole } from "./console.js";
import { h } from "./dom.js";
import { t } from "./page.js";
import { betList, board, outcome, promptOf, spotName } from "./plain.js";
import { playersTab } from "./players.js";
import { plainVerbs, verbForms } from "./verb_forms.js";

const mainActions = (view) =>
  plainVerbs(view).map(({ verb, label }) => ({ id: verb, label, run: () => order({ do: verb }) }));

function doTab(view) {
  const takeBack = (bet) =>
    can(view, "take-back") &&
    button(`take-back/${bet.player}/${bet.on}`, t("take_back"), () =>
      order({ do: "take-back", player: bet.player, on: bet.on }, `take-back/${bet.player}/${bet.on}`),
    );
  const forms = verbForms(view, { give: order, redraw, skip: view.bets ? ["take-back"] : [] });
  return [
    forms.length === 0 && h("p", { class: "hint", key: "none" }, t("do_none")),
    forms,
    view.bets && betList(view, takeBack),
  ];
}

runConsole({
  byHand: "do",
  tabs: ["do"],
  pills: () => null,
  step: (view) => ({ title: view.players.length ? promptOf(view) : t("step_no_players") }),
  mainActions,
  lead: outcome,
  spotName,
  board: (view) => board(view, { bets: local.tab !== "do" || !view.bets }),
  bodies: { do: doTab, players: (view) => playersTab(view, { act, order, can, busy: local.busy }) },
  tabKeys: { a: "do", p: "players", v: "camera", l: "log" },
});
