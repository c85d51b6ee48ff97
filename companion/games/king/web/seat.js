// A player's phone at King of Roulette: the vote, the sealed bet, the king's rule and guess. Nobody else sees these.

import { announce, h, unbroken } from "../../js/dom.js";
import { extras } from "../../js/aside.js";
import { once } from "../../js/betting.js";
import { leaveButton, meIn, ownPrompt, purse, viewer } from "../../js/own.js";
import { t } from "../../js/page.js";
import { header, phasePill, start, toast } from "../../js/shell.js";
import {
  betForm,
  bonusBox,
  choosePlayer,
  covered,
  give,
  kingForm,
  newDraft,
  ruleSentence,
  scores,
  spaceName,
} from "./choices.js";
import { reveal, verdict } from "./reveal.js";

let page = null;
const redraw = () => page?.redraw();
const { busy, act, offer } = once(viewer, redraw);
let draft = newDraft();
let sealing = false;
let shown = false;

/** Show nothing of what was chosen. */
function hide() {
  draft = newDraft();
  shown = false;
}

/** Vote in secret, in the ballot that is shown: an earlier vote that is shown is hidden first. */
function vote(name) {
  hide();
  return act("vote", { do: "vote", for: name }, () => t("sealed"), page.view.seq);
}

/** Give secret choices to the table. What is sealed stands in the form no longer: others look over shoulders. */
async function seal(records, own) {
  if (sealing) return;
  sealing = true;
  shown = false;
  redraw();
  try {
    await give(viewer, covered(records, draft.doubles && !own.uses_bonus), page.view);
    toast(t("sealed"));
    hide();
  } catch (error) {
    toast(error.message, "error");
  }
  sealing = false;
  redraw();
}

function draw(now) {
  const { view, live } = now;
  const me = meIn(view);
  offer([view.phase, view.round, view.expected.includes("reveal")].join()); // Reveal comes where a secret is shown
  return [
    header(now, [phasePill(view)], ["/"]),
    h(
      "main",
      { id: "main", class: "seat-page king", key: "main" },
      purse(me, { staked: false, label: t("your_garnets") }),
      ownPrompt(view, promptFor(view, me)),
      extras(view),
      live !== false && !view.hold && doing(view, me),
      view.final && verdict(view),
      view.revealed && reveal(view),
      scores(view),
      leaveButton(),
    ),
  ];
}

function promptFor(view, me) {
  if (view.phase === "over") return t("game_over"); // a new one is the dealer's to begin
  if (view.expected.length === 0) return view.prompt;
  if (view.phase === "round" && view.king === me.name && view.waiting.length === 0) return t("you_reveal");
  if (view.phase === "choose") return t(view.choosing.includes(me.name) ? "you_choose" : "wait_choose");
  if (view.phase === "succession") return t(view.king === me.name ? "you_elect" : "wait_elect", { king: view.king });
  if (view.waiting.includes(me.name)) return t(`your_${choiceOf(view, me)}`);
  if (view.waiting.length === 0) return t("wait_reveal", { king: view.king });
  return t("wait_others", { count: view.waiting.length });
}

/** The secret choice that I have to make. */
const choiceOf = (view, me) =>
  view.phase === "vote" ? (view.vote_tied ? "vote_again" : "vote") : view.king === me.name ? "rule" : "bet";

function doing(view, me) {
  const own = view.secrets ?? {};
  const king = view.king === me.name;
  if (view.phase === "vote" && view.expected.includes("vote"))
    return [
      choosePlayer("vote", t("vote_for"), Object.keys(view.points), vote, busy.has("vote")),
      own.vote && secret(t("your_vote_is", { name: own.vote })),
    ];
  if (view.phase === "round") return round(view, me, own, king);
  if (view.phase === "succession" && king) return choice(view, "elect", (name) => t("next_king", { king: name }));
  if (view.phase === "choose" && view.choosing.includes(me.name))
    return choice(view, "choose", (name) => t("candidate_is", { name }));
  return null;
}

/** One of those who are tied. */
const choice = (view, verb, said) =>
  choosePlayer(
    verb,
    t(`you_${verb}`),
    view.tied,
    (player) => act(verb, { do: verb, player }, () => said(player)),
    busy.has(verb),
  );

function round(view, me, own, king) {
  const bonus = view.bonuses[me.name] > 0 && !(shown && own.uses_bonus); // else its absence would tell of its use
  const use = { redraw, seal: (records) => seal(records, own), bonus: bonus && bonusBox(draft, redraw), busy: sealing };
  const again = view.ready.bets.includes(me.name);
  return [
    king && view.expected.includes("reveal") && revealButton(view.round),
    mine(own),
    king ? kingForm(view, draft, use) : betForm(view, draft, { ...use, again }),
    buy(view, me),
  ];
}

/** The log's sentence about a reveal is too long for a message: everybody reads the reveal itself. */
const revealButton = (round) =>
  h(
    "button",
    {
      type: "button",
      class: "primary reveal-now",
      key: "reveal",
      "aria-disabled": busy.has("reveal") ? "true" : null,
      onclick: () => act("reveal", { do: "reveal" }, () => t("reveal_title", { n: round })),
    },
    t("reveal"),
  );

/** What I have sealed, which only shows when I ask for it: others look over shoulders. */
function mine(own) {
  const lines = [
    own.space !== null && t("your_bet_is", { space: spaceName(own.space) }),
    own.rule?.text, // the program's own words are in the reader's language
    own.rule && ruleSentence(own.rule),
    own.guess && t("your_guess_is", { range: own.guess }),
    own.uses_bonus && t("your_bonus"),
  ].filter((line, i, all) => line && all.indexOf(line) === i);
  return lines.length > 0 && secret(...lines);
}

const secret = (...lines) =>
  h(
    "section",
    { class: "panel secret", key: "secret" },
    h(
      "button",
      { type: "button", "aria-expanded": String(shown), onclick: () => ((shown = !shown), redraw()) },
      t(shown ? "hide_secret" : "show_secret"),
    ),
    shown && lines.map((line) => h("p", { key: line }, unbroken(line))),
  );

function buy(view, me) {
  const count = view.prices[me.name];
  return h(
    "p",
    { class: "buy", key: "buy" },
    h(
      "button",
      {
        type: "button",
        "aria-disabled": busy.has("buy-bonus") || me.coins < count ? "true" : null,
        onclick: () => act("buy-bonus", { do: "buy-bonus" }, () => t("you_bought", { count })),
      },
      t("buy_bonus", { count }),
    ),
  );
}

/** A new round begins with nothing chosen. */
function onView(view, before) {
  if (view.round !== before.round || view.phase !== before.phase) hide();
  if (view.prompt !== before.prompt) announce(promptFor(view, meIn(view)));
}

page = start(viewer, draw, { onView });
