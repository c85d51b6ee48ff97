// Who sits where: let in, buy in, cash out, leave, and the code for the phone.

import { h } from "./dom.js";
import { amountInput, amountReason, firstRefusal, isEmpty } from "./amount_field.js";
import { labelled, newAmount, numberIn, refusal } from "./amount_field.js";
import { overtaken, redraw } from "./console.js";
import * as dialog from "./dialog.js";
import { data, number, t } from "./page.js";
import { putAside, seatBadge } from "./pieces.js";
import { command as give, isUnheard, post, Refused } from "./send.js";
import { toast } from "./shell.js";

const joining = {
  name: "",
  coins: null, // as many as are usual in the game, until something else is typed
  seat: newAmount("", { coins: false, optional: true }),
};
const buying = new Map();
let shown = [];

/** A player as they are now: a question about them may stand there for long. */
const now = (player) => shown.find((one) => one.name === player.name) ?? player;

/** What a player has, in front of them and aside. */
const allOf = (player) => player.coins + (player.aside ?? 0);

/** What a player is about to buy in for. */
function buyingOf(player, usual) {
  if (!buying.has(player.name)) buying.set(player.name, newAmount(usual));
  return buying.get(player.name);
}

export function playersTab(view, use) {
  shown = view.players;
  joining.coins ??= newAmount(view.usual_buy_in, { least: 0 });
  return [
    h(
      "ul",
      { class: "players", key: "list" },
      view.players.map((player) => row(player, view, use)),
    ),
    view.players.length === 0 && h("p", { class: "hint", key: "none" }, t("no_players")),
    use.can(view, "join") && joinForm(view, use),
  ];
}

function row(player, view, use) {
  const off = (verb) => (use.can(view, verb) && !use.busy.has(`${verb}/${player.name}`) ? null : "true");
  const amount = buyingOf(player, view.usual_buy_in);
  const unlessOff = (verb, does) => () => {
    if (!off(verb)) return does();
    return view.reasons[verb] && toast(view.reasons[verb], "error"); // a press that does nothing says why
  };
  const press = unlessOff("buy-in", () => buyIn(player, use));
  const noBuyIn = off("buy-in") ?? (refusal(amount) && "true");
  return h(
    "li",
    { key: player.seat },
    h(
      "p",
      { class: "player-head" },
      seatBadge(player.seat),
      h("strong", { class: "who" }, player.name),
      h("b", {}, number(player.coins)),
      player.staked > 0 && h("small", {}, t("on_table", { count: number(player.staked) })),
      putAside(player),
      played(view.tonight?.[player.name]),
    ),
    h(
      "div",
      { class: "actions" },
      h(
        "form",
        { class: "buy-in", onsubmit: (event) => (event.preventDefault(), press()) },
        amountInput(amount, redraw, { "aria-label": `${player.name}: ${t("buy_in")}` }),
        h("button", { type: "submit", "aria-disabled": noBuyIn }, t("buy_in")),
      ),
      allOf(player) > 0 &&
        h(
          "button",
          {
            type: "button",
            "aria-disabled": off("cash-out"),
            onclick: unlessOff("cash-out", () => askCashOut(player, use)),
          },
          t("cash_out_all", { coins: number(allOf(player)) }),
        ),
      (use.mayLeave?.(player) ?? allOf(player) === 0) &&
        player.staked === 0 &&
        h(
          "button",
          {
            type: "button",
            "aria-disabled": off("leave"),
            onclick: unlessOff("leave", () => send(use, { do: "leave", player: player.name })),
          },
          t("leave"),
        ),
      mayReseat(player, view, use) &&
        h("button", { type: "button", onclick: () => askReseat(player, use) }, t("reseat")),
      use.extra?.(player),
      data.purses && h("button", { type: "button", onclick: () => showPurse(player) }, t("purse")),
      h("button", { type: "button", class: "phone", onclick: () => showCode(player) }, t("phone")),
    ),
    amountReason(amount),
  );
}

const played = (tonight) =>
  tonight?.minutes > 0 &&
  h(
    "small",
    { class: "hint" },
    t("played_so_far", {
      hours: Math.floor(tonight.minutes / 60),
      minutes: tonight.minutes % 60,
      brought: number(tonight.brought),
    }),
  );

const send = (use, record) => use.act(`${record.do}/${record.player}`, () => command(record));
const command = (record, after) => give("dealer", record, after);

function buyIn(player, use) {
  const amount = buying.get(player.name);
  if (refusal(amount)) return toast(refusal(amount), "error");
  return send(use, { do: "buy-in", player: player.name, coins: numberIn(amount) });
}

function askCashOut({ name }, use) {
  let coins = allOf(now({ name }));
  const sure = () => {
    if (allOf(now({ name })) === coins) return (done(), send(use, { do: "cash-out", player: name }));
    coins = allOf(now({ name })); // what is handed over is what the question says
    overtaken();
    return dialog.redraw();
  };
  const done = dialog.open(t("cash_out"), () => [
    h("p", { class: "big" }, t("cash_out_sure", { player: name, coins: number(coins) })),
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "primary", onclick: sure }, t("yes_cash_out")),
      h("button", { type: "button", onclick: () => done() }, t("cancel")),
    ),
  ]);
}

// ---- another name or seat: out and in again with the same coins, where nobody has to pay for coming

const mayReseat = (player, view, use) =>
  (use.mayReseat ?? !use.joinRecord) && player.staked === 0 && use.can(view, "join") && use.can(view, "leave");

function askReseat(player, use) {
  const wanted = { player: player.name, seat: newAmount(player.seat, { coins: false }) };
  const send = (event) => {
    event.preventDefault();
    const why = noName(wanted.player) ?? refusal(wanted.seat);
    if (why) return toast(why, "error");
    done();
    return reseat(player, { player: wanted.player, seat: numberIn(wanted.seat) }, use);
  };
  const done = dialog.open(t("reseat"), () =>
    h(
      "form",
      { class: "join-form", onsubmit: send },
      h(
        "label",
        {},
        h("span", {}, t("join_name")),
        h("input", {
          maxlength: 40,
          required: true,
          autocomplete: "off",
          value: player.name,
          oninput: (event) => (wanted.player = event.target.value.trim()),
        }),
      ),
      labelled(t("join_seat"), wanted.seat, dialog.redraw),
      h("p", { class: "hint" }, t("reseat_hint")),
      submit(t("reseat_do"), refusal(wanted.seat)),
    ),
  );
}

/** All of it or nothing: where a step is refused, those before it are undone. Of one without an answer nobody knows. */
async function reseat(player, wanted, use) {
  const { name, seat } = player;
  if (wanted.player === name && wanted.seat === seat) return;
  await use.act(
    `reseat/${name}`,
    async () => {
      const done = [];
      let coins = 0;
      try {
        let aside = 0;
        if (allOf(now(player)) > 0) {
          const { events, seq } = await command({ do: "cash-out", player: name });
          done.push({ verb: "cash-out", seq });
          const moves = events.filter((event) => event.event === "Transfer");
          coins = moves.at(-1).coins;
          aside = moves.find((move) => move.payer.startsWith("aside/"))?.coins ?? 0;
        }
        done.push({ verb: "leave", seq: (await command({ do: "leave", player: name })).seq });
        await command({ do: "join", ...wanted, coins: coins - aside, ...(aside && { aside }) });
      } catch (error) {
        if (isUnheard(error) && done.length) error.message = t("reseat_unheard", { player: wanted.player, coins });
        else
          await takeBack(done).catch(() => {
            error.message = t("reseat_half", { why: error.message, player: name, coins });
          });
        throw error;
      }
    },
    () => t("reseat_done", wanted),
  );
}

/** Undo what was done, the latest first, and nothing that came in between or since. */
async function takeBack(done) {
  let after = done.at(-1)?.seq;
  for (const { verb } of done.reverse()) after = (await command({ do: "undo", only: { do: verb } }, after)).seq;
}

const submit = (label, whyNot) =>
  h("button", { type: "submit", class: "primary", "aria-disabled": whyNot && "true" }, label);

function joinForm(view, use) {
  return h(
    "form",
    { class: "join-form", key: "join", onsubmit: (event) => (event.preventDefault(), letIn(event.target, use)) },
    h(
      "label",
      {},
      h("span", {}, t("join_name")),
      h("input", {
        name: "player",
        maxlength: 40,
        required: true,
        autocomplete: "off",
        value: joining.name,
        oninput: (event) => (joining.name = event.target.value),
      }),
    ),
    labelled(t("join_coins"), joining.coins, redraw, { name: "coins" }),
    labelled(t("join_seat"), joining.seat, redraw, { name: "seat", placeholder: t("seat_any") }),
    use.joinExtra?.(),
    submit(t("join_do"), whyNotIn(use)),
    data.purses && h("button", { type: "button", onclick: () => letInFromPurse(view, use) }, t("purse_join")),
  );
}

/** The browser takes three spaces for a name; the table does not. */
const noName = (name) => (name.trim() ? null : t("name_missing"));

/** Why nobody can be let in with what the form says now; null if they can. */
const whyNotIn = (use) => firstRefusal(joining.coins, joining.seat) ?? use.joinRefusal?.() ?? null;

async function letIn(form, use) {
  const why = noName(joining.name) ?? whyNotIn(use);
  if (why) return toast(why, "error");
  const record = { do: "join", player: joining.name.trim(), coins: numberIn(joining.coins), ...use.joinRecord?.() };
  const seat = joining.seat.text;
  if (!isEmpty(joining.seat)) record.seat = numberIn(joining.seat);
  await use.act("join", async () => {
    const accepted = await command(record);
    joining.name = "";
    form.elements.player.value = "";
    if (joining.seat.text === seat) joining.seat.text = "";
    form.elements.player.focus();
    return accepted;
  });
}

// ---- the house's purses, which only a table that has joined a floor fetches

const showPurse = (player) => import("./purses.js").then((part) => part.showPurse(player));
const letInFromPurse = (view, use) => import("./purses.js").then((part) => part.letIn(view, use));

// ---- the phone's code

async function showCode(player) {
  try {
    openCode(player, await read(codeOf(player)));
  } catch (error) {
    toast(error.message, "error");
  }
}

const codeOf = (player) => `/dealer/seats/${player.seat}`;

/** Show a code until the sheet is closed; once a phone has used it up, the next one. */
function openCode(player, link) {
  dialog.open(t("code_for", { player: player.name }), () => codeSheet(player, link));
  const renew = async () => {
    link = await read(codeOf(player)).catch(() => link);
    dialog.redraw();
  };
  document.addEventListener("view", renew);
  document.addEventListener("closed", () => document.removeEventListener("view", renew), { once: true });
}

/** Return what an address of the table's says; throws Refused. */
export async function read(url) {
  const answer = await fetch(url).catch(() => null);
  const told = await answer?.json().catch(() => null);
  if (!told) throw new Refused("no-network", t("no_network"));
  if (!answer.ok) throw new Refused(told.code, told.message);
  return told;
}

const codeSheet = (player, link) =>
  h(
    "div",
    { class: "code-sheet" },
    h("img", { src: link.qr, alt: `${link.address}, ${link.code}`, width: 240, height: 240 }),
    h("p", { class: "code" }, link.code),
    h("p", { class: "hint" }, t("code_hint", { address: link.address })),
    h("button", { type: "button", onclick: () => newCode(player) }, t("new_code")),
    h("p", { class: "hint" }, t("new_code_hint")),
  );

async function newCode(player) {
  try {
    openCode(player, await post(`${codeOf(player)}/new-code`, {}));
  } catch (error) {
    toast(error.message, "error");
  }
}
