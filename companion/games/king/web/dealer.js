// The dealer's console of King of Roulette: what the table does, and secret choices for players without a phone.

import { act, button, can, local, order, orderNext, redraw, runConsole } from "../../js/console.js";
import { h } from "../../js/dom.js";
import { t } from "../../js/page.js";
import { command } from "../../js/send.js";
import { playersTab } from "../../js/players.js";
import { playerFor } from "../../js/quick_line.js";
import {
  betForm,
  bonusBox,
  choosePlayer,
  covered,
  give,
  kingForm,
  newDraft,
  pick,
  plainRule,
  RIGGED,
  ruleSentence,
  scores,
  spaceName,
} from "./choices.js";
import { reveal, verdict } from "./reveal.js";

let draft = newDraft();
let who = null;

function mainActions(view) {
  const offered = ["reveal", "new-game"].filter((verb) => can(view, verb));
  return offered.map((verb) => ({
    id: verb,
    label: t(verb === "reveal" ? "reveal" : "new_game"),
    run: () => (verb === "reveal" ? revealNow(view.round) : order({ do: verb })),
  }));
}

/** All of the reveal is in sight: a message with the log's whole sentence would lie over what comes next. */
const revealNow = (n) =>
  act(
    "reveal",
    () => command("dealer", { do: "reveal" }),
    () => t("reveal_title", { n }),
  );

/** The player for whom a secret is typed in, on a table where somebody has no phone. */
const whoPicker = (names) => {
  const choose = (name) => ((who = name), (draft = newDraft()), redraw());
  const options = names.map((name) => ({ value: name, text: name }));
  return pick("who", t("choice_of"), options, (name) => name === who, choose);
};

/** Who becomes king, or is chosen: beside what is asked, so that a long reveal does not push it out of sight. */
function successors(view) {
  const verb = ["elect", "choose"].find((one) => can(view, one));
  if (!verb || view.hold) return null;
  return h(
    "div",
    { class: "verbs choose-player", key: "successors", role: "group", "aria-label": view.prompt },
    view.tied.map((player) =>
      button(`${verb}-${player}`, player, () => order({ do: verb, player }), false, null, "verb"),
    ),
  );
}

const seal = (view, player, records) =>
  act(
    `seal/${player}`,
    async () => {
      const named = records.map((record) => ({ ...record, player }));
      await give("dealer", named, view);
      if (who === player) [draft, who] = [newDraft(), null];
    },
    () => t("sealed"),
  );

function doTab(view) {
  if (can(view, "vote")) return voting(view);
  if (view.phase === "round") return round(view);
  return h("p", { class: "hint", key: "none" }, t("do_none"));
}

function voting(view) {
  const names = Object.keys(view.points);
  if (!names.includes(who)) who = null;
  const vote = (name) => seal(view, who, [{ do: "vote", for: name }]);
  return [whoPicker(names), who && choosePlayer("vote", t("vote_for"), names, vote)];
}

function round(view) {
  const names = Object.keys(view.points);
  if (!names.includes(who)) who = null;
  const own = {
    redraw,
    bonus: who && view.bonuses[who] > 0 && bonusBox(draft, redraw),
    busy: local.busy.has(`seal/${who}`),
    seal: (records) => seal(view, who, covered(records, draft.doubles)),
  };
  return [
    whoPicker(names),
    who === view.king && kingForm(view, draft, own),
    who && who !== view.king && betForm(view, draft, { ...own, again: view.ready.bets.includes(who) }),
    who &&
      button("buy-bonus", t("buy_bonus", { count: view.prices[who] }), () =>
        orderNext({ do: "buy-bonus", player: who }),
      ),
  ];
}

// ---- the same at typing speed

/** A vote, "2 1", a bet, "3 5", the king's rule and guess, "1 12 3 2-3", or who is chosen, "2": of seats, and spaces. */
function typed(view, [seat, ...words]) {
  const player = playerFor(seat, view)?.name;
  if (!player) return { say: t("quick_who") };
  const understood = can(view, "vote")
    ? typedVote(view, player, words)
    : view.phase === "round"
      ? player === view.king
        ? typedRule(view, player, words)
        : typedBet(view, player, words)
      : typedChoice(view, player, words);
  return understood ?? { say: t(hintNow(view)) };
}

const hintNow = (view) =>
  can(view, "vote") ? "quick_hint_vote" : view.phase === "round" ? "quick_hint_king" : "quick_who";

function typedVote(view, player, [other, ...more]) {
  const name = playerFor(other, view)?.name;
  if (!other || !name || more.length > 0) return null;
  return { say: t("quick_vote", { player, other: name }), run: () => seal(view, player, [{ do: "vote", for: name }]) };
}

function typedBet(view, player, [word, ...more]) {
  const space = word && view.spaces.find((one) => String(one).startsWith(word));
  if (!space || more.length > 0) return null;
  return {
    say: t("quick_secret_bet", { player, space: spaceName(space) }),
    run: () => seal(view, player, covered([{ do: "bet", space }], false)),
  };
}

function typedRule(view, player, [ones = "", word, range, ...more]) {
  const [one, two] = [[...ones].map(Number).sort(), Number(word)];
  const spaces = new Set([...one, two]);
  const isRule = one.length === 2 && spaces.size === 3 && [...spaces].every((space) => RIGGED.includes(space));
  if (!isRule || !view.ranges.some((each) => each.range === range) || more.length > 0) return null;
  const records = [
    { do: "rule", text: plainRule({ one, two }), one, two },
    { do: "guess", range },
  ];
  return {
    say: `${player}: ${ruleSentence({ one, two })} · ${range}`,
    run: () => seal(view, player, covered(records, false)),
  };
}

function typedChoice(view, player, more) {
  const verb = ["elect", "choose"].find((one) => can(view, one));
  if (!verb || more.length > 0 || !view.tied.includes(player)) return null;
  return { say: player, run: () => order({ do: verb, player }) };
}

runConsole({
  byHand: "do",
  tabs: ["do"],
  pills: (view) =>
    view.king && h("span", { class: "pill mild" }, t("round_of", { n: view.round, all: view.all_rounds })),
  step: (view) => ({ title: view.players.length ? view.prompt : t("step_no_players") }),
  mainActions,
  verbs: successors,
  lead: (view) => view.revealed && reveal(view),
  board: (view) => [view.final && verdict(view), scores(view)],
  sitting: false, // the scores have them
  bodies: { do: doTab, players: (view) => playersTab(view, { act, order, can, busy: local.busy }) },
  quick: {
    now: hintNow,
    read: typed,
    examples: [
      ["2 1", "key_vote"],
      ["3 5", "key_secret_bet"],
      ["1 12 3 2-3", "key_rule"],
    ],
  },
  tabKeys: { a: "do", p: "players", v: "camera", l: "log" },
});
