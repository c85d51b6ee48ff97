// The dealer's console of King of Roulette: what the table does, and secret choices for players without a phone.

import { act, button, can, local, order, redraw, runConsole } from "../../js/console.js";
import { h } from "../../js/dom.js";
import { number, t } from "../../js/page.js";
import { command } from "../../js/send.js";
import { playersTab } from "../../js/players.js";
import { betForm, bonusBox, choosePlayer, covered, kingForm, newDraft, pick, scores } from "./choices.js";
import { reveal, verdict } from "./reveal.js";

let draft = newDraft();
let who = null;

function mainActions(view) {
  const offered = ["reveal", "new-game"].filter((verb) => can(view, verb));
  return offered.map((verb) => ({
    id: verb,
    label: t(verb === "reveal" ? "reveal" : "new_game"),
    run: () => order({ do: verb }),
  }));
}

/** The player for whom a secret is typed in, on a table where somebody has no phone. */
const whoPicker = (names) => {
  const choose = (name) => ((who = name), (draft = newDraft()), redraw());
  const options = names.map((name) => ({ value: name, text: name }));
  return pick("who", t("choice_of"), options, (name) => name === who, choose);
};

const seal = (records) =>
  act(
    `seal/${who}`,
    async () => {
      for (const record of records) await command("dealer", record);
      [draft, who] = [newDraft(), null];
    },
    () => t("sealed"),
  );

function doTab(view) {
  if (can(view, "vote")) return voting(view);
  if (view.phase === "round") return round(view);
  if (can(view, "elect"))
    return choosePlayer("elect", view.prompt, view.tied, (name) => order({ do: "elect", player: name }));
  if (can(view, "choose"))
    return choosePlayer("choose", view.prompt, view.tied, (name) => order({ do: "choose", player: name }));
  return h("p", { class: "hint", key: "none" }, t("do_none"));
}

function voting(view) {
  const names = Object.keys(view.points);
  if (!names.includes(who)) who = null;
  const vote = (name) => seal([{ do: "vote", player: who, for: name }]);
  return [whoPicker(names), who && choosePlayer("vote", t("vote_for"), names, vote)];
}

function round(view) {
  const names = Object.keys(view.points);
  if (!names.includes(who)) who = null;
  const own = {
    redraw,
    bonus: who && view.bonuses[who] > 0 && bonusBox(draft, redraw),
    busy: local.busy.has(`seal/${who}`),
    seal: (records) => seal(covered(records, draft.doubles).map((one) => ({ ...one, player: who }))),
  };
  return [
    whoPicker(names),
    who === view.king && kingForm(view, draft, own),
    who && who !== view.king && betForm(view, draft, { ...own, again: view.ready.bets.includes(who) }),
    who &&
      button("buy-bonus", t("buy_bonus", { price: number(view.prices[who]) }), () =>
        order({ do: "buy-bonus", player: who }),
      ),
  ];
}

runConsole({
  byHand: "do",
  tabs: ["do"],
  pills: (view) =>
    view.king && h("span", { class: "pill mild" }, t("round_of", { n: view.round, all: view.all_rounds })),
  step: (view) => ({ title: view.players.length ? view.prompt : t("step_no_players") }),
  mainActions,
  lead: (view) => [view.final && verdict(view), view.revealed && reveal(view)],
  board: scores,
  sitting: false, // the scores have them
  bodies: { do: doTab, players: (view) => playersTab(view, { act, order, can, busy: local.busy }) },
  tabKeys: { a: "do", p: "players", v: "camera", l: "log" },
});
