// Coming and going at a table of Rochi: the joining fee and into which pots it goes, sitting out, coming back,
// and recounting.

import { h } from "../../js/dom.js";
import { labelled, newAmount, numberIn, refusal } from "../../js/amount_field.js";
import { can, order, redraw } from "../../js/console.js";
import * as dialog from "../../js/dialog.js";
import { number, suitName, t } from "../../js/page.js";
import { toast } from "../../js/shell.js";

const splits = new Map();

const allPots = (view) => Object.values(view.pots).reduce((sum, coins) => sum + coins, 0);
const presentOf = (view) => view.players.length - (view.away?.length || 0);

/** What a newcomer puts into the pots, as the table will ask for it. */
export const joiningFee = (view) =>
  view.join_fee && presentOf(view) > 0 ? Math.ceil(allPots(view) / presentOf(view)) : 0;

/** What a player who sat out owes on coming back. */
export const returnFee = (view, away) =>
  view.hand - away.since <= 2 ? 0 : Math.max(0, joiningFee(view) - away.marker);

/** What the players' tab needs to know. Another seat means leaving and coming anew: free only while no fee is due. */
export const comingAndGoing = (view) => ({
  extra: (player) => buttons(player, view),
  mayLeave: () => true,
  mayReseat: joiningFee(view) === 0,
  joinExtra: () => potSplit("join", joiningFee(view), view),
  joinRecord: () => into("join", joiningFee(view), view),
  joinRefusal: () => unplaced("join", joiningFee(view), view),
});

function buttons(player, view) {
  const away = view.away?.find((one) => one.player === player.name);
  const off = (verb) => (can(view, verb) ? null : "true");
  const say = (verb, more = {}) =>
    can(view, verb) && order({ do: verb, player: player.name, ...more }, `${verb}/${player.name}`);
  const split = `return/${player.name}`;
  const why = away ? unplaced(split, returnFee(view, away), view) : null;
  const comeBack = () => (why ? toast(why, "error") : say("return", into(split, returnFee(view, away), view)));
  const returning = { "aria-disabled": off("return") ?? (why && "true"), onclick: comeBack };
  return [
    away && h("p", { class: "hint wide", key: "away" }, t("sits_out", { hand: away.since, marker: away.marker })),
    away && potSplit(split, returnFee(view, away), view),
    away && h("button", { type: "button", key: "return", ...returning }, t("do_return")),
    !away &&
      view.away &&
      h(
        "button",
        { type: "button", key: "sit-out", "aria-disabled": off("sit-out"), onclick: () => say("sit-out") },
        t("do_sit-out"),
      ),
    can(view, "buy-in") &&
      h("button", { type: "button", key: "recount", onclick: () => recount(player) }, t("recount")),
  ];
}

// ---- the fee, spread over the pots

/** Fields that spread a fee over the pots; nothing where none is due. */
function potSplit(name, fee, view) {
  if (fee === 0) return null;
  const split = splitOf(name, fee, view);
  const placed = placedIn(split);
  return h(
    "fieldset",
    { class: "pot-split wide", key: `split/${name}` },
    h("legend", {}, t("fee_due", { count: fee })),
    h(
      "div",
      { class: "pots" },
      Object.keys(view.pots).map((suit) => stepper(suit, split, fee - placed)),
    ),
    h(
      "p",
      { class: placed === fee ? "hint" : "error", role: "status" },
      placed === fee ? t("fee_placed") : t("fee_left", { count: fee - placed }),
    ),
  );
}

const placedIn = (split) => Object.values(split).reduce((sum, coins) => sum + coins, 0);

/** Why a fee cannot be paid yet: not all of it is placed; null if it can. */
function unplaced(name, fee, view) {
  const left = fee === 0 ? 0 : fee - placedIn(splitOf(name, fee, view));
  return left === 0 ? null : t("fee_left", { count: left });
}

/** The split under way; it begins with everything in the fullest pot, and anew when the fee changes. */
function splitOf(name, fee, view) {
  const kept = splits.get(name);
  if (kept?.fee === fee) return kept.split;
  const fullest = Object.keys(view.pots).reduce((best, suit) => (view.pots[suit] > view.pots[best] ? suit : best));
  const split = { [fullest]: fee };
  splits.set(name, { fee, split });
  return split;
}

function stepper(suit, split, left) {
  const change = (by) => {
    split[suit] = Math.max(0, (split[suit] || 0) + by);
    redraw();
  };
  return h(
    "div",
    { class: "pot-step", key: suit, "data-suit": suit },
    h("span", {}, suitName(suit)),
    h(
      "button",
      {
        type: "button",
        "aria-label": t("less_in", { suit: suitName(suit) }),
        "aria-disabled": split[suit] ? null : "true",
        onclick: () => split[suit] && change(-1),
      },
      "−",
    ),
    h("b", {}, number(split[suit] || 0)),
    h(
      "button",
      {
        type: "button",
        "aria-label": t("more_in", { suit: suitName(suit) }),
        "aria-disabled": left > 0 ? null : "true",
        onclick: () => left > 0 && change(1),
      },
      "+",
    ),
  );
}

/** The field `into` of the command; none where nothing is due. */
function into(name, fee, view) {
  if (fee === 0) return {};
  const split = splitOf(name, fee, view);
  return { into: Object.fromEntries(Object.entries(split).filter(([, coins]) => coins > 0)) };
}

// ---- the coins on the table are right

const recount = (player) =>
  ask(t("recount_of", { player: player.name }), `player/${player.name}`, player.coins, { player: player.name });

/** The coins in a pot were counted. */
export const recountPot = (suit, coins) =>
  ask(t("recount_of", { player: t("pot_of", { suit: suitName(suit) }) }), `pot/${suit}`, coins, { pot: suit });

function ask(title, key, has, whose) {
  const asked = { coins: newAmount(has, { least: 0 }), reason: "" };
  const send = () => {
    if (refusal(asked.coins)) return toast(refusal(asked.coins), "error");
    done();
    const record = { do: "recount", ...whose, coins: numberIn(asked.coins), reason: asked.reason.trim() };
    return order(record, `recount/${key}`);
  };
  const correct = () => {
    const props = { type: "button", class: "primary", "aria-disabled": refusal(asked.coins) && "true", onclick: send };
    return h("button", props, t("recount_do"));
  };
  const done = dialog.open(title, () => [
    h("p", { class: "hint" }, t("recount_hint", { coins: has })),
    labelled(t("recount_coins"), asked.coins, dialog.redraw),
    h(
      "label",
      {},
      h("span", {}, t("recount_why")),
      h("input", { maxlength: 80, value: asked.reason, oninput: (event) => (asked.reason = event.target.value) }),
    ),
    h("div", { class: "actions" }, correct(), h("button", { type: "button", onclick: () => done() }, t("cancel"))),
  ]);
}
