// What every player's phone shows, whatever the game: name and coins, what was just paid, the own history.

import { h } from "./dom.js";
import { logOutAt } from "./log_out.js";
import { clock, data, number, t } from "./page.js";
import { isFromHouse, sources } from "./pay_sheet.js";
import { coinRow, isFortune, labelOf, partyName, seatBadge } from "./pieces.js";
import { toast, whileIdle } from "./shell.js";
import { isWon, outcomeText } from "./sums.js";

const LOOK_BACK = 500;
const LINES = 25;

export const viewer = `seat/${data.seat}`;

/** The player whose phone this is. */
export const meIn = (view) =>
  view.players.find((player) => player.seat === data.seat) || {
    name: data.player,
    seat: data.seat,
    coins: 0,
    staked: 0,
  };

const SHORT_NAME = 6; // letters that stand beside coins and stake on a small phone; without a stake twice as many

/** Whether name and coins have a line each: of a long name, or from a tenth of a fortune beside one that is not short
 *  from a hundredth. What is bet is among the coins, so no bet moves what is below. */
const isTall = (me, longest) =>
  me.name.length > 2.5 * longest || isFortune((me.coins + me.staked) * (me.name.length > longest / 2 ? 100 : 10));

/** Name and coins. A name that is longer than there is room for is smaller. */
export const purse = (me, { staked = true, label = t("seat_coins") } = {}) => {
  const longest = staked || me.aside ? SHORT_NAME : 2 * SHORT_NAME;
  return h(
    "section",
    { class: `purse${isTall(me, longest) ? " fortune" : ""}`, key: "purse" },
    h("h1", { class: me.name.length > longest ? "long" : "" }, seatBadge(data.seat), me.name),
    h(
      "p",
      {},
      h("span", { class: "label" }, label),
      h("b", { class: "coins", "data-place": `player/${me.name}` }, number(me.coins)),
    ),
    staked && h("p", {}, h("span", { class: "label" }, t("staked")), h("b", {}, number(me.staked))),
    me.aside > 0 && h("p", {}, h("span", { class: "label" }, t("aside")), h("b", {}, number(me.aside))),
  );
};

/**
 * What the table waits for, said to whoever reads it; while it is on hold, that and why.
 * @param {{isMine?: boolean, more?: object}} more stands below it
 */
export const ownPrompt = (view, text, { isMine = false, more } = {}) =>
  h(
    "section",
    { class: `panel${isMine && !view.hold ? " my-turn" : ""}`, key: "prompt", role: "status" },
    h("p", { class: "big" }, view.hold ? t("phase_hold") : text),
    view.hold ? h("p", { class: "hint" }, t("sub_hold", { why: view.hold })) : more,
  );

/** What of the pay sheet is about me: what I pay and get, and what of it is my own stake. */
export function dues(view, me) {
  const label = labelOf(me.name);
  const steps = view.pay_sheet?.steps ?? [];
  const isPaid = steps.some((step) => step.kind === "hand" && step.to === label);
  const mine = steps.map((step) => due(step, label, me.name, isPaid)).filter(Boolean);
  if (mine.length === 0) return null;
  return h(
    "section",
    { class: "dues", key: "dues", role: "status" },
    mine.map(({ key, cls, text, coins, own }) =>
      h(
        "p",
        { key, class: cls },
        h(
          "span",
          {},
          view.pay_sheet.paid.includes(key) && "✓ ",
          text,
          own > 0 && h("small", {}, t("pay_own", { own: number(own) })),
        ),
        coinRow(coins),
      ),
    ),
  );
}

/** A step as far as it is about one player; isPaid: others pay them, beside the stake that they keep. */
function due(step, label, name, isPaid) {
  const { key, kind, coins, own } = step;
  if (kind === "take") {
    const lost = step.parts.filter((part) => part.player === name).reduce((sum, part) => sum + part.coins, 0);
    return lost > 0 && { key, cls: "owe", text: stakeTaken(step.to), coins: lost };
  }
  if (kind === "keep")
    return step.to === label && { key, cls: "get", text: t(isPaid ? "you_keep_too" : "you_keep"), coins, own };
  if (kind !== "pay" && kind !== "hand") return null;
  if (step.to === label)
    return {
      key,
      cls: "get",
      text: isFromHouse(step) ? t("you_get_house") : t("you_get", { from: sources(step) }),
      coins,
      own,
    };
  const paid = step.parts.filter((part) => part.at === label).reduce((sum, part) => sum + part.coins, 0);
  return paid > 0 && { key, cls: "owe", text: youPay(step.to), coins: paid };
}

/** Coins that lie on the table already: a player who read "you pay" would put down as many again. */
const stakeTaken = (to) => (to === "house" ? t("stake_taken") : t("stake_moved", { to: partyName(to) }));

const youPay = (to) => (to === "house" ? t("you_pay_house") : t("you_pay", { to: partyName(to) }));

/** My bets on the table, each a line of a list; nothing where there is none and none can be placed. */
export const ownBets = (lines, open) =>
  (open || lines.length > 0) &&
  h(
    "section",
    { class: "panel own-bets", key: "own" },
    h("h2", {}, t("your_bets")),
    lines.length === 0 ? h("p", { class: "hint" }, t("no_own_bets")) : h("ul", { class: "bet-list" }, lines),
  );

/** What each of my settled bets brought or cost. */
export const brought = (lines, nameOf) =>
  lines.length > 0 &&
  h(
    "ul",
    { class: "brought" },
    lines.map((line) =>
      h(
        "li",
        { key: `${line.on}/${line.outcome ?? ""}`, class: isWon(line) ? "won" : "lost" },
        `${nameOf(line.on)}: `,
        h("b", {}, outcomeText(line)),
      ),
    ),
  );

// ---- own history

const past = { open: false, seq: -1, lines: [], asked: false };

/** What this player won and paid, the latest first; fetched when it is opened, and again when it has changed. */
export function ownHistory(view, me, redraw) {
  if (past.open && past.seq !== view.seq && !past.asked) fetchPast(view.seq, me.name, redraw);
  return h(
    "details",
    {
      class: "panel own-history",
      key: "history",
      ontoggle: (event) => ((past.open = event.target.open), past.open && redraw()),
    },
    h("summary", {}, t("own_history")),
    past.open &&
      (past.lines.length
        ? h(
            "ol",
            {},
            past.lines.map((line) =>
              h(
                "li",
                { key: line.seq },
                h("time", {}, clock(line.at)),
                h("span", {}, line.text),
                h("b", { class: line.net > 0 ? "good" : "" }, signed(line.net)),
              ),
            ),
          )
        : h("p", { class: "hint" }, t("history_empty"))),
  );
}

const signed = (net) => (net > 0 ? t("paid_won", { won: number(net) }) : t("paid_lost", { amount: number(-net) }));

async function fetchPast(seq, name, redraw) {
  past.asked = true;
  const answer = await fetch(
    `/api/v1/events?after=${Math.max(0, seq - LOOK_BACK)}&limit=${LOOK_BACK}&as=${encodeURIComponent(viewer)}`,
  ).catch(() => null);
  if (answer?.ok) {
    past.lines = linesOf((await answer.json()).events, name);
    past.seq = seq;
  }
  setTimeout(() => (past.asked = false), 1000);
  redraw();
}

/** The entries that moved this player's coins; what was undone is not among them. */
function linesOf(entries, name) {
  const [counted, undone] = [[], []];
  for (const entry of entries) {
    if (entry.kind === "start") undone.length = 0;
    if (entry.kind !== "command" || entry.source === "table") continue; // brought from the game before: not won
    if (entry.do === "undo") undone.push(counted.pop());
    else if (entry.do === "redo") counted.push(undone.pop());
    else counted.push(entry);
  }
  const whose = `player/${name}`;
  const netOf = ({ payer, payee, coins }) => {
    if (`aside/${name}` === payer || `aside/${name}` === payee) return 0; // it was theirs before and after
    return (payee === whose ? coins : 0) - (payer === whose ? coins : 0);
  };
  const line = (entry) => ({
    seq: entry.seq,
    at: entry.at,
    text: entry.events.find((event) => event.text)?.text ?? entry.do,
    net: entry.events.reduce((sum, event) => sum + netOf(event), 0),
  });
  return counted
    .filter(Boolean)
    .map(line)
    .filter((one) => one.net !== 0)
    .slice(-LINES)
    .reverse();
}

// ---- how long one has played

/** How long the player has played, once more than when it was put away last; an evening begins anew. */
function reminder(view, again) {
  const me = meIn(view);
  const mine = view.tonight?.[me.name];
  if (!mine || !view.remind_minutes) return null;
  const key = `reminded/${me.name}`;
  const due = mine.minutes - (mine.minutes % view.remind_minutes);
  const before = Number(localStorage.getItem(key));
  if (due < before) localStorage.setItem(key, due);
  if (due <= before) return null;
  const putAway = () => (localStorage.setItem(key, due), again());
  const values = {
    time: timeIn(due),
    brought: mine.brought,
    taken: -mine.brought,
    has: me.coins + me.staked + (me.aside ?? 0),
  };
  return h(
    "p",
    { key: "reminder", class: "reminder" },
    h("span", {}, t(mine.brought < 0 ? "reminder_took" : "reminder", values)),
    h("button", { type: "button", onclick: putAway }, t("reminder_seen")),
  );
}

const timeIn = (minutes) =>
  minutes % 60 === 0 ? t("played_hours", { count: minutes / 60 }) : t("played_minutes", { count: minutes });

whileIdle(reminder);

// ---- leaving

async function leave() {
  try {
    await logOutAt(`/seat/${data.seat}/leave`);
  } catch (error) {
    toast(error.message, "error");
  }
}

/** A phone can be told only what comes over a connection that it trusts, and where its browser takes such messages. */
const canBeTold = "PushManager" in window && "serviceWorker" in navigator;

const tellMe = () => import("./notify.js").then((notify) => notify.ask(data.seat, data.push));

export const leaveButton = () =>
  h(
    "p",
    { class: "foot", key: "foot" },
    data.push && canBeTold && h("button", { type: "button", class: "link", onclick: tellMe }, t("push_ask")),
    h("button", { type: "button", class: "link", onclick: leave }, t("leave_seat")),
    h("small", { class: "play-notice" }, data.notice),
  );
