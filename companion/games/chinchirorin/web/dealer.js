// The dealer's console for chinchirorin: the bank, bets in their order, and the dice as they lie.

import { h } from "../../js/dom.js";
import { act, button, can, demoGoesOn, local, order, orderNext, redraw, runConsole } from "../../js/console.js";
import { labelled, newAmount, numberIn, refusal } from "../../js/amount_field.js";
import { number, t } from "../../js/page.js";
import { promptOf } from "../../js/plain.js";
import { seatBadge, whoTag } from "../../js/pieces.js";
import { playersTab } from "../../js/players.js";
import { playerFor } from "../../js/quick_line.js";
import { toast } from "../../js/shell.js";
import { bank, bowl, die, PIPS } from "./parts.js";

const THREE = 3;
const chosen = {
  dice: [],
  throwing: "",
  bank: newAmount("", { optional: true }),
  bet: newAmount("", { optional: true }),
  player: null,
  allowed: false,
};

const step = (view) =>
  view.players.length ? { title: promptOf(view) } : { title: t("step_no_players"), hint: t("step_no_players_hint") };

// ---- the one thing to do next

function mainActions(view) {
  const found = [];
  if (can(view, "close")) found.push({ id: "close", label: t("do_close"), run: () => order({ do: "close" }) });
  if (can(view, "keep-bank")) {
    found.push({ id: "keep-bank", label: t("do_keep-bank"), run: () => order({ do: "keep-bank" }) });
    found.push({ id: "pass-bank", label: t("do_pass-bank"), run: () => order({ do: "pass-bank" }), key: "B" });
  }
  if ((local.demo?.can_deal || local.demo?.busy) && can(view, "throw")) found.push(demoGoesOn("demo_throw"));
  return found;
}

// ---- entering it

function doTab(view) {
  if (view.hold) return h("p", { class: "hint" }, t("do_none"));
  const parts = [
    can(view, "throw-for-bank") && drawForm(view),
    can(view, "bank") && bankForm(),
    can(view, "bet") && betForm(view),
    can(view, "throw") && throwForm(view),
  ].filter(Boolean);
  return parts.length ? parts : h("p", { class: "hint", key: "none" }, t("do_none"));
}

/** Who has thrown keeps their row, so that no row moves under a finger on its way to another one. */
const drawForm = (view) => {
  const thrown = new Map(view.drawn.map((one) => [one.player, one.die]));
  const names = view.players.map((player) => player.name);
  return h(
    "ul",
    { class: "draw-form", key: "draw" },
    names
      .filter((name) => thrown.has(name) || view.asked.includes(name))
      .map((player) =>
        h(
          "li",
          { key: player },
          h("span", { class: "who" }, player),
          h(
            "span",
            { class: "pip-pad", role: "group", "aria-label": player },
            PIPS.map((pips) =>
              pipButton(pips, () => drawn(player, pips), {
                off: thrown.has(player) || local.busy.has(`draw/${player}`),
                pressed: thrown.has(player) ? thrown.get(player) === pips : null,
              }),
            ),
          ),
        ),
      ),
  );
};

const drawn = (player, pips) => order({ do: "throw-for-bank", player, die: pips }, `draw/${player}`);

const pipButton = (pips, press, { off = false, pressed = null } = {}) =>
  h(
    "button",
    {
      type: "button",
      key: pips,
      "aria-label": t("die_shows", { n: pips }),
      "aria-disabled": off ? "true" : null,
      "aria-pressed": pressed === null ? null : String(pressed),
      onclick: () => !off && press(),
    },
    die(pips, { role: null, "aria-label": null, "aria-hidden": "true" }),
  );

/** A form that gives a command with an amount; the field is empty again once it was taken. */
function amountForm(key, amount, label, doIt, fields = null) {
  const send = (event) => {
    event.preventDefault();
    const why = refusal({ ...amount, optional: false }); // an empty field is complained of when the form is sent
    return why ? toast(why, "error") : doIt(numberIn(amount));
  };
  return h(
    "form",
    { class: "amount-form", key, "data-verb": key, onsubmit: send },
    fields,
    labelled(t("amount"), amount, redraw, { name: "amount" }),
    h("button", { type: "submit", class: "primary", "aria-disabled": local.busy.has(key) ? "true" : null }, label),
  );
}

const emptied = (amount) => (isDone) => isDone && ((amount.text = ""), redraw());

const bankForm = () =>
  amountForm("bank", chosen.bank, t("do_bank"), (amount) => order({ do: "bank", amount }).then(emptied(chosen.bank)));

/** Who is not past yet and has coins to bet. */
const bettors = (view) => view.players.filter((player) => player.coins > 0 && view.may_bet.includes(player.name));

function betForm(view) {
  const able = bettors(view);
  if (!able.some((player) => player.name === chosen.player)) chosen.player = null;
  const give = (amount) => {
    if (!chosen.player) return toast(t("bet_who"), "error");
    const record = { do: "bet", player: chosen.player, amount, ...(chosen.allowed ? { allowed: true } : {}) };
    return order(record).then((isDone) => isDone && ((chosen.allowed = false), emptied(chosen.bet)(isDone)));
  };
  const fields = [who(able), allow()];
  return [able.length > 0 && amountForm("bet", chosen.bet, t("do_bet"), give, fields), takeBacks(view)];
}

const who = (able) =>
  h(
    "div",
    { class: "who-tabs", key: "who", role: "group", "aria-label": t("bets_for") },
    able.map((player) =>
      h(
        "button",
        {
          type: "button",
          key: player.seat,
          class: "player-button",
          "aria-pressed": String(player.name === chosen.player),
          onclick: () => ((chosen.player = player.name), redraw()),
        },
        seatBadge(player.seat),
        whoTag(player.name),
        h("b", {}, number(player.coins)),
      ),
    ),
  );

const allow = () =>
  h(
    "label",
    { class: "allow", key: "allow" },
    h("input", {
      type: "checkbox",
      name: "allowed",
      checked: chosen.allowed,
      onchange: (event) => (chosen.allowed = event.target.checked),
    }),
    t("bet_allowed"),
  );

function takeBacks(view) {
  const last = view.bets.at(-1);
  return (
    last &&
    h(
      "div",
      { class: "actions", key: "back" },
      button("take-back", t("take_back_of", { player: last.player, amount: number(last.amount) }), () =>
        order({ do: "take-back", player: last.player }),
      ),
    )
  );
}

// ---- the dice as they lie: one tap each, then said once more as a whole

function throwForm(view) {
  const throwing = `${view.rounds}/${view.turn}/${view.throws.length}`;
  if (chosen.throwing !== throwing) Object.assign(chosen, { throwing, dice: [] }); // another device entered that throw
  const { dice } = chosen;
  const add = (pips) => ((chosen.dice = [...dice, pips]), redraw());
  const done = () => ((chosen.dice = []), redraw());
  const enough = dice.length === THREE;
  return h(
    "section",
    { class: "throw-form", key: "throw" },
    h("p", { class: "hint" }, t("throw_hint")),
    h(
      "div",
      { class: "pip-pad", role: "group", "aria-label": t("dice") },
      PIPS.map((pips) => pipButton(pips, () => add(pips), { off: enough })),
    ),
    h(
      "p",
      { class: "dice chosen", role: "status", "aria-label": dice.join("-") || t("die_none") },
      Array.from({ length: THREE }, (_, i) => die(dice[i] ?? 0, { key: i, role: null, "aria-hidden": "true" })),
    ),
    h(
      "div",
      { class: "actions" },
      button(
        "throw",
        enough ? t("throw_do", { dice: dice.join("-") }) : t("do_throw"),
        () => orderNext({ do: "throw", dice }).then(done),
        enough ? false : t("throw_hint"),
        null,
        enough ? "primary" : "",
      ),
      button("clear", t("throw_clear"), done, dice.length === 0),
      button("out", t("throw_out"), out, false, "O"),
    ),
  );
}

/** A die fell out of the bowl: the throw counts as nothing. */
const out = () => orderNext({ do: "throw", out: true }, "out").then(() => ((chosen.dice = []), redraw()));

/** What is said without a number. */
function onKey(key, view) {
  const does = { b: ["pass-bank", () => order({ do: "pass-bank" })], o: ["throw", out] }[key];
  if (!does || view.hold || !can(view, does[0])) return false;
  does[1]();
  return true;
}

/** Three dice, "124" or "1 2 4"; the bank's coins; seat and die of the draw for the bank. Bets are seat and coins. */
function typed(view, words) {
  if (can(view, "throw-for-bank")) return typedDraw(view, words);
  const dice = [...words.join("")].map(Number);
  if (can(view, "throw") && dice.length === THREE && dice.every((pips) => PIPS.includes(pips)))
    return { say: t("throw_do", { dice: dice.join("-") }), run: () => orderNext({ do: "throw", dice }) };
  if (can(view, "bank") && words.length === 1 && /^\d+$/.test(words[0]))
    return {
      say: t("quick_bank", { coins: number(Number(words[0])) }),
      run: () => order({ do: "bank", amount: Number(words[0]) }),
    };
  return null;
}

function typedDraw(view, [seat, pips, ...more]) {
  const player = playerFor(seat, view);
  if (!player || !view.asked.includes(player.name) || !PIPS.includes(Number(pips)) || more.length > 0)
    return { say: t("quick_hint_draw") };
  return {
    seat: player.seat,
    say: `${player.name}: ${t("die_shows", { n: Number(pips) })}`,
    run: () => drawn(player.name, Number(pips)),
  };
}

runConsole({
  byHand: "do",
  demo: { deal: "demo_throw", gather: "demo_take" },
  tabs: ["do"],
  pills: () => null,
  step,
  mainActions,
  lead: () => null,
  board: (view) => [bowl(view), bank(view)],
  bodies: { do: doTab, players: (view) => playersTab(view, { act, order, can, busy: local.busy }) },
  quick: {
    hint: "quick_hint_bowl",
    now: (view) => can(view, "throw-for-bank") && "quick_hint_draw",
    read: typed,
    examples: [
      ["3 50", "key_bet_plain"],
      ["124", "key_throw"],
    ],
  },
  keys: [["B O", "key_bank_out"]],
  onKey,
  tabKeys: { a: "do", p: "players", v: "camera", l: "log" },
});
