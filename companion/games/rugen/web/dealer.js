// The dealer's console for the Rugen games: what the die shows, bets and takers, the next throw.

import { h } from "../../js/dom.js";
import {
  act,
  button,
  can,
  demoGoesOn,
  local,
  order,
  orderNext,
  redraw,
  roomy,
  runConsole,
  whyNot,
} from "../../js/console.js";
import { numberIn, refusal } from "../../js/amount_field.js";
import { data, t } from "../../js/page.js";
import { payouts } from "./payouts.js";
import { playersTab } from "../../js/players.js";
import { chainStrip, die, d20Of, FACES, faceName, faceOf, houseFelt, NUMBERS, spotName } from "./parts.js";
import { coinsText, isFirst, newChoice, newUnits, sheet, stepper, takeSheet } from "./bets.js";
import { cause, costOf, promptOf } from "./words.js";
import { bettor, whoTabs } from "../../js/betting.js";
import { playerFor } from "../../js/quick_line.js";
import { sideBets, spaces } from "./spaces.js";

const choosing = {
  player: null,
  choice: newChoice(),
  units: newUnits(data.view.minimum),
  side: {},
  sideUnits: newUnits(),
};
const bets = bettor("dealer", redraw, spotName);

const step = (view) => {
  if (view.players.length === 0) return { title: t("step_no_players"), hint: t("step_no_players_hint") };
  if (view.game === "rugen-house")
    return { title: t(view.chain.length ? "step_mark_throw" : "step_first_throw"), hint: promptOf(view).sub };
  const { title, sub } = promptOf(view);
  const todo = { chain: view.last && "step_throw_again", taking: "who_takes" }[view.phase];
  if (!todo || view.hold || title === t(todo)) return { title, hint: sub };
  return { title: t(todo), hint: [title, sub].filter(Boolean).join(" · ") };
};

function mainActions(view) {
  const found = [];
  if (can(view, "close"))
    found.push({
      id: "close",
      label: t(view.game === "rugen-capital" ? "do_close_capital" : "do_close"),
      run: () => order({ do: "close" }),
    });
  if (can(view, "stake"))
    found.push({
      id: "stake",
      label: stakeFor(view, numberIn(choosing.units)),
      run: () => stake(numberIn(choosing.units)),
      off: refusal(choosing.units),
    });
  if (local.demo && can(view, "throw")) found.unshift(demoGoesOn("demo_throw"));
  return found;
}

/** The units that the shooter stakes, with the main button or typed. */
function verbs(view) {
  if (view.hold || !can(view, "stake")) return null;
  return h(
    "div",
    { class: "verbs stake-row", key: "stake" },
    stepper(choosing.units, redraw, t("units")),
    h("span", { class: "hint" }, t("units")),
  );
}

const stake = (units) => order({ do: "stake", units });
const stakeFor = (view, units) =>
  t("stake_for", { player: view.shooter, coins: units ? units * view.units[view.point] : "…", n: view.point });

// ---- the table in small

const board = (view) => [
  h(
    "section",
    { class: "chain-place", key: "chain" },
    h(
      "h2",
      { class: "label" },
      view.chain.length ? t("chain_of", { count: view.chain.length }) : t(view.result ? "chain_last" : "chain"),
    ),
    chainStrip(view.chain.length ? view.chain : view.result?.chain || [], { broken: view.chain.length === 0 }),
  ),
  view.game === "rugen-house" ? houseFelt(view, { columns: roomy.matches ? 4 : 2 }) : spaces(view),
];

// What the last throw decided is to be paid now; what the chain paid before is kept apart: nothing is paid twice.
function lead(view) {
  const now = view.paid_now || [];
  const chain = (view.chain.length ? view.settled : view.result?.paid) || [];
  const before = chain.slice(0, chain.length - now.length);
  if (!chain.length) return sideBets(view);
  return [
    now.length > 0 && payouts(now, t("paid_throw"), spotName, view, redraw),
    before.length > 0 && payouts(before, t("paid_before"), spotName, view, redraw, "before"),
  ];
}

// ---- the die by hand

function dieTab(view) {
  const off = whyNot(view, "throw");
  const go = (record) => orderNext({ do: "throw", ...record }, "throw");
  return [
    h("p", { class: "hint", key: "hint" }, off ?? t("die_hint")),
    data.camera && h("a", { class: "button", key: "enroll", href: "/setup/dice" }, t("enroll_link")),
    h("h2", { key: "d20t" }, t("d20")),
    h(
      "div",
      { class: "d20-pad", key: "d20", role: "group", "aria-label": t("d20") },
      Array.from({ length: 20 }, (_, i) => padButton(i + 1, off, () => go({ d20: i + 1 }))),
    ),
    h("h2", { key: "facet" }, t("rugen_die")),
    h(
      "div",
      { class: "face-pad", key: "face", role: "group", "aria-label": t("rugen_die") },
      FACES.map((face) =>
        h(
          "button",
          {
            type: "button",
            key: face,
            "aria-label": faceName(face),
            "aria-disabled": off || local.busy.has("throw") ? "true" : null,
            onclick: () => !off && go({ face }),
          },
          die(face, { role: null, "aria-label": null, "aria-hidden": "true" }),
          h("small", {}, d20Of(face)),
        ),
      ),
    ),
  ];
}

const padButton = (value, off, press) =>
  h(
    "button",
    {
      type: "button",
      key: value,
      class: `d20-button ${faceOf(value)[1] === "d" ? "day" : "night"}`,
      "aria-label": `${value}: ${faceName(faceOf(value))}`,
      "aria-disabled": off || local.busy.has("throw") ? "true" : null,
      onclick: () => !off && press(),
    },
    h("b", {}, value),
    h("small", {}, faceOf(value)[0]),
  );

// ---- bets and takers

/** Who may bet: the shooter takes no number. */
const bettors = (view) => view.players.filter((one) => one.name !== view.shooter);
const current = (view) => bettors(view).find((one) => one.name === choosing.player) || bettors(view)[0];

const tabs = (view) =>
  whoTabs({ players: bettors(view) }, current(view), (name) => ((choosing.player = name), redraw()));

function betsTab(view) {
  const player = current(view);
  if (!player) return h("p", { class: "hint" }, t("no_players"));
  if (view.game !== "rugen-house") return takersTab(view, player);
  const use = { player, choice: choosing.choice, bets, redraw, open: can(view, "bet"), columns: roomy.matches ? 4 : 2 };
  return [tabs(view), !use.open && h("p", { class: "hint", key: "closed" }, t("bets_closed")), sheet(view, use)];
}

function takersTab(view, player) {
  const open = !whyNot(view, "take");
  return [
    tabs(view),
    h("p", { class: "hint", key: "hint" }, open ? t("takers_hint", { player: player.name }) : t("takers_closed")),
    open &&
      takeSheet(view, {
        player,
        units: choosing.units,
        busy: local.busy,
        redraw,
        onTake: (record) => order(record, "take"),
      }),
    can(view, "side-bet") && sideForm(view),
  ];
}

/** Some players bet among themselves: each a number of his own. */
function sideForm(view) {
  const { side } = choosing;
  const chosen = Object.entries(side).filter(([, n]) => n);
  const units = numberIn(choosing.sideUnits);
  const make = () => sideBet(chosen, units).then(() => ((choosing.side = {}), redraw()));
  return h(
    "section",
    { class: "side-form", key: "side" },
    h("h2", {}, t("side_bet_new")),
    h("p", { class: "hint" }, t("side_bet_hint")),
    h(
      "ul",
      {},
      view.players.map((player) =>
        h(
          "li",
          { key: player.seat },
          h("span", { class: "who" }, player.name),
          h(
            "span",
            { role: "group", "aria-label": player.name, class: "number-choice" },
            NUMBERS.map((n) =>
              h(
                "button",
                {
                  type: "button",
                  key: n,
                  "aria-pressed": String(side[player.name] === n),
                  onclick: () => ((side[player.name] = side[player.name] === n ? 0 : n), redraw()),
                },
                n,
              ),
            ),
          ),
          h("small", {}, side[player.name] ? coinsText(units && units * costOf(view, side[player.name]).unit) : ""),
        ),
      ),
    ),
    h(
      "div",
      { class: "actions" },
      stepper(choosing.sideUnits, redraw, t("units")),
      button("side-bet", t("side_bet_do"), make, chosen.length < 2 ? t("side_bet_hint") : refusal(choosing.sideUnits)),
    ),
  );
}

const sideBet = (chosen, units) => orderNext({ do: "side-bet", units, numbers: Object.fromEntries(chosen) });

/** A bet's spot in words; Capital's are the numbers themselves. */
const spotAtRisk = (on) => (data.view.game === "rugen-capital" ? t("number_n", { n: on.split("/")[1] }) : spotName(on));

/** A throw by the d20's value or by the face; at Street and Capital the units staked, and who takes which number. */
function typed(view, words) {
  const [word] = words;
  if (word.includes(":") && can(view, "side-bet")) return typedSideBet(view, words);
  if (words.length > 1 && can(view, "take")) return typedTake(view, words);
  if (words.length === 1 && can(view, "stake") && Number(word) >= view.minimum)
    return { say: stakeFor(view, Number(word)), run: () => stake(Number(word)) };
  if (words.length !== 1 || !can(view, "throw")) return null;
  const face = FACES.includes(word) ? word : /^([1-9]|1\d|20)$/.test(word) ? faceOf(Number(word)) : null;
  if (!face) return null;
  const record = FACES.includes(word) ? { face } : { d20: Number(word) };
  return {
    say: t("quick_throw", { value: word, face: faceName(face) }),
    run: () => orderNext({ do: "throw", ...record }, "throw"),
  };
}

/** A side bet: the number of each seat, "1:2 3:4", and for how many units. */
function typedSideBet(view, words) {
  const pairs = words.filter((word) => word.includes(":"));
  const [units = "1", ...more] = words.slice(pairs.length);
  const chosen = pairs.map((pair) => pair.split(":")).map(([seat, n]) => [playerFor(seat, view)?.name, Number(n)]);
  const isClear = chosen.every(([name, n]) => name && NUMBERS.includes(n)) && /^[1-9]\d*$/.test(units);
  if (!isClear || chosen.length < 2 || more.length > 0) return { say: t("quick_hint_side") };
  const numbers = chosen.map(([player, n]) => t("quick_take", { player, n })).join(" · ");
  return {
    say: t("quick_side_bet", { numbers, count: Number(units) }),
    run: () => sideBet(chosen, Number(units)),
  };
}

/** Seat and number; the first who takes one at Capital says for how many units. */
function typedTake(view, [seat, number_, units = choosing.units.text, ...more]) {
  const player = playerFor(seat, view);
  const n = Number(number_);
  if (!player || !NUMBERS.includes(n) || !/^[1-9]\d*$/.test(units) || more.length > 0)
    return { say: t("quick_hint_take") };
  const record = { do: "take", player: player.name, number: n, ...(isFirst(view) && { units: Number(units) }) };
  return {
    seat: player.seat,
    say: t("quick_take", { player: player.name, n }),
    run: () => order(record, "take"),
  };
}

runConsole({
  byHand: "die",
  tabs: ["die", "bets"],
  pills: () => null,
  step,
  mainActions,
  verbs,
  lead,
  board,
  bodies: { die: dieTab, bets: betsTab, players: (view) => playersTab(view, { act, order, can, busy: local.busy }) },
  tabKeys: { d: "die", b: "bets", p: "players", v: "camera", l: "log" },
  quick: {
    hint: data.view.game === "rugen-house" ? "quick_hint_house" : "quick_hint_take",
    read: typed,
    examples: [
      ...(data.view.game === "rugen-house" ? [["3 ce2 10", "key_bet_spot"]] : [["3 2", "key_take"]]),
      ...(data.view.game === "rugen-street" ? [["1:2 3:4", "key_side_bet"]] : []),
      ["14", "key_throw"],
      ["3n", "key_throw"],
    ],
  },
  spotName: spotAtRisk,
  cause,
});
