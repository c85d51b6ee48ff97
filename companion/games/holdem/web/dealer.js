// The dealer's console for hold'em: blinds, who has cards, what is said, the board, and what is shown.

import { h } from "../../js/dom.js";
import { act, button, can, local, order, orderNext, redraw, runConsole } from "../../js/console.js";
import { data, number, t } from "../../js/page.js";
import { promptOf } from "../../js/plain.js";
import { cardText, standardCard } from "../../js/standard_card.js";
import { playersTab } from "../../js/players.js";
import { playerFor } from "../../js/quick_line.js";
import { command } from "../../js/send.js";
import { acting, stay } from "./acting.js";
import { cardPicker, newPick } from "./cards.js";
import { misdealButton } from "./misdeal.js";
import { hands, middle } from "./parts.js";
import { clockButtons, levelClock, management, purchases, ticking } from "./tournament.js";

const FLOP = 3;
let pick = newPick();
let picked = null;
let tabling = null;

/** A level is begun once, also where the table's clock or another device begins it at the same moment. */
const clockOrder = (record) => (record.do === "next-level" ? orderNext : order)(record);

const step = (view) =>
  view.players.length
    ? { title: promptOf(view), hint: view.phase === "over" && t("over_hint") }
    : { title: t("step_no_players"), hint: t("step_no_players_hint") };

// ---- the one thing to do next

function mainActions(view) {
  if (can(view, "post")) return [{ id: "post", label: t("do_post"), run: () => order({ do: "post" }) }];
  if (view.phase === "break" && can(view, "next-level"))
    return [{ id: "next-level", label: t("do_next-level"), run: () => clockOrder({ do: "next-level" }) }];
  if (can(view, "hole")) return [dealt(view), allDealt(view)];
  if (!can(view, "fold")) return [];
  const { verb, label } = stay(view);
  return [
    { id: verb, label, run: () => say({ do: verb }) },
    { id: "fold", label: t("do_fold"), run: () => say({ do: "fold" }), key: "F" },
  ];
  function say(record) {
    return order({ ...record, player: view.turn });
  }
}

const dealt = (view) => ({
  id: "hole",
  label: t("has_cards", { player: view.turn }),
  run: () => order({ do: "hole", player: view.turn }),
});

const allDealt = (view) => ({
  id: "hole-all",
  label: t("all_have_cards"),
  run: () => act("hole-all", () => dealAll(view)),
});

/** Everybody who has none yet, in the order in which they get them. */
async function dealAll(view) {
  const order_ = clockwise(view).filter((one) => !one.dealt);
  let said = null;
  for (const one of order_) said = await command("dealer", { do: "hole", player: one.player });
  return said;
}

/** The hand's players from left of the button. */
function clockwise(view) {
  const at = view.in_hand.findIndex((one) => one.player === view.button);
  return [...view.in_hand.slice(at + 1), ...view.in_hand.slice(0, at + 1)];
}

// ---- entering it

function doTab(view) {
  if (view.hold) return h("p", { class: "hint" }, t("do_none"));
  if (can(view, "fold"))
    return [
      h("h2", { class: "label", key: "whose" }, t("turn_of", { player: view.turn })),
      acting({
        view,
        redraw,
        busy: (name) => local.busy.has(name),
        send: (record) => order({ ...record, player: view.turn }),
      }),
    ];
  if (can(view, "board")) return [whoTables(view), boardOrHand(view)];
  if (can(view, "show"))
    return [
      h("h2", { class: "label", key: "whose" }, t("turn_of", { player: view.turn })),
      naming(view, 2, "show", { player: view.turn }),
      button("muck", t("do_muck"), () => order({ do: "muck", player: view.turn }), false, "M"),
    ];
  if (view.tournament) return management(view, { button, can, order, redraw });
  return h("p", { class: "hint", key: "none" }, t("do_none"));
}

/** Who turns the cards up now that nobody bets any more; a tap names the hand instead of the board. */
const whoTables = (view) =>
  can(view, "table") &&
  h(
    "div",
    { class: "sizes", key: "who", role: "group", "aria-label": t("who_tables") },
    view.in_hand
      .filter((one) => !one.folded && !one.cards.length)
      .map(({ player }) =>
        h(
          "button",
          {
            type: "button",
            key: player,
            class: "tables",
            "aria-pressed": String(tabling === player),
            onclick: () => ((tabling = tabling === player ? null : player), (picked = null), redraw()),
          },
          t("tables", { player }),
        ),
      ),
  );

function boardOrHand(view) {
  const is = view.in_hand.some((one) => one.player === tabling && !one.cards.length) && can(view, "table");
  if (!is) tabling = null;
  return is
    ? naming(view, 2, "table", { player: tabling })
    : naming(view, view.phase === "deal-flop" ? FLOP : 1, "board", {});
}

function naming(view, count, verb, more) {
  const now = `${view.session}/${view.commands}/${view.undo}`;
  if (picked !== now) [picked, pick] = [now, newPick()];
  return cardPicker({
    view,
    pick,
    count,
    redraw,
    busy: local.busy.has(verb),
    label: (cards) => (cards ? t(verb === "board" ? "board_cards" : "show_cards", { cards }) : t(`do_${verb}`)),
    done: (cards) => order({ do: verb, cards, ...more }),
  });
}

/** Who comes in again or buys more, whose cards lie open, what is raised to, or the cards that were turned up. */
function typed(view, words) {
  const [word] = words;
  const ofSeat = words.length > 1 && typedOfSeat(view, words);
  if (ofSeat) return ofSeat;
  const sizes = view.sizes ?? [];
  if (can(view, "fold") && sizes.length > 0 && words.length === 1 && /^\d+$/.test(word)) {
    const verb = view.bet > 0 ? "raise" : "bet";
    const record = { do: verb, to: Number(word), player: view.turn };
    return { say: `${view.turn}: ${t(`do_${verb}_to`, { to: number(Number(word)) })}`, run: () => order(record) };
  }
  const cards = words.map(standardCard);
  if (cards.includes(null)) return null;
  const [verb, wanted] = can(view, "board")
    ? ["board", view.phase === "deal-flop" ? FLOP : 1]
    : can(view, "show")
      ? ["show", 2]
      : [null, 0];
  if (!verb) return null;
  const said = t(verb === "board" ? "board_cards" : "show_cards", { cards: cards.map(cardText).join(" ") });
  if (cards.length !== wanted || new Set(cards).size !== wanted) return { say: t("quick_cards", { count: wanted }) };
  const more = verb === "show" ? { player: view.turn } : {};
  return { say: said, run: () => order({ do: verb, cards, ...more }) };
}

/** Seat and "r" or "a": a rebuy, an add-on. Seat and two cards: that hand is turned up while nobody bets any more. */
function typedOfSeat(view, [seat, ...words]) {
  const player = playerFor(seat, view);
  if (!player) return null;
  const found = (say, record) => ({ seat: player.seat, say, run: () => order({ ...record, player: player.name }) });
  const bought = words.length > 1 ? null : purchases(view).find(({ key }) => key.toLowerCase() === words[0]);
  if (bought?.players.includes(player.name)) return found(bought.label(player.name), { do: bought.verb });
  const cards = words.map(standardCard);
  const isHand = cards.length === 2 && !cards.includes(null) && cards[0] !== cards[1];
  if (!isHand || !can(view, "table")) return null;
  return found(`${player.name}: ${t("show_cards", { cards: cards.map(cardText).join(" ") })}`, { do: "table", cards });
}

/** What is said without a word about coins or cards. */
const KEYS = { f: "fold", m: "muck" };

function onKey(key, view) {
  const verb = KEYS[key];
  if (!verb || view.hold || !can(view, verb)) return false;
  order({ do: verb, player: view.turn });
  return true;
}

runConsole({
  byHand: "do",
  tabs: ["do"],
  pills: (view) => h("span", { class: "pill mild" }, t("blinds"), " ", view.blinds.map(number).join("/")),
  step,
  mainActions,
  secondButtons: (view) => [misdealButton(view), clockButtons(view, { button, can, order: clockOrder })],
  lead: levelClock,
  board: (view) => h("section", { class: "felt-holdem" }, middle(view), hands(view)),
  sitting: false, // the board has them
  shows: ["chances"],
  bodies: {
    do: doTab,
    players: (view) => playersTab(view, { act, order, can, busy: local.busy }),
  },
  quick: {
    hint: "quick_hint_holdem",
    read: typed,
    examples: [
      ["200", "key_raise"],
      ["/ks qd jh", "key_card"],
      ["3 ks qd", "key_table"],
      ...(data.view.tournament
        ? [
            ["3 r", "key_rebuy"],
            ["3 a", "key_add_on"],
          ]
        : []),
    ],
  },
  keys: [["F M", "key_fold"]],
  onKey,
  tabKeys: { a: "do", p: "players", v: "camera", l: "log" },
});
ticking(redraw);
