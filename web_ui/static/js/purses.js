// The house's purses, at a table that has joined a floor: buy in from one, cash out to it, and let in whose card it is.

import { h } from "./dom.js";
import { amountInput, amountReason, firstRefusal, isEmpty } from "./amount_field.js";
import { labelled, newAmount, numberIn, refusal } from "./amount_field.js";
import * as dialog from "./dialog.js";
import { data, t } from "./page.js";
import { read } from "./players.js";
import { command, isUnheard, newKey, post } from "./send.js";
import { toast } from "./shell.js";

/** @typedef {import("./types").Purses} Purses */
/** @typedef {import("./types").PurseHeld} PurseHeld */

const PURSES = "/api/v1/purses";
const ASK_MS = 2000;

/** Move coins. What is asked again after its answer was lost, in the same dialog, is the same transfer. */
async function move(its, record) {
  const what = JSON.stringify(record);
  const key = its.unsure?.what === what ? its.unsure.key : newKey();
  its.unsure = { what, key };
  try {
    return await post(PURSES, record, { "Idempotency-Key": key });
  } catch (error) {
    if (!isUnheard(error)) its.unsure = null;
    throw error;
  }
}

// ---- a player's purse

/** Show a player's purse: what it holds, what is on its way, and both ways to move coins. */
export function showPurse(player) {
  const its = chooser((purse) => purse.player === player.name);
  const amount = newAmount(data.view.usual_buy_in);
  const give = (record) => once(its, close, () => move(its, { player: player.name, purse: its.chosen, ...record }));
  const buyIn = (event) => {
    event.preventDefault();
    if (whyNot(its, amount)) return toast(whyNot(its, amount), "error");
    return give({ do: "buy-in", coins: numberIn(amount) });
  };
  const cashOut = () => (its.chosen ? give({ do: "cash-out" }) : toast(t("purse_nobody"), "error"));
  const close = dialog.open(t("purse_of", { player: player.name }), () => [
    choice(its),
    its.list && !its.chosen && h("p", { class: "hint" }, t("purse_missing", { player: player.name })),
    inside(its),
    h(
      "form",
      { class: "actions", key: "in", onsubmit: buyIn },
      amountInput(amount, dialog.redraw, { "aria-label": t("purse_coins") }),
      h("button", { type: "submit", class: "primary", "aria-disabled": whyNot(its, amount) && "true" }, t("purse_in")),
    ),
    amountReason(amount),
    player.coins + (player.aside ?? 0) > 0 && [
      h(
        "div",
        { class: "actions", key: "out" },
        h("button", { type: "button", "aria-disabled": its.chosen ? null : "true", onclick: cashOut }, t("purse_out")),
      ),
      h(
        "p",
        { class: "hint", key: "all" },
        t(its.cutOff ? "purse_out_later" : "purse_out_hint", { player: player.name }),
      ),
    ],
  ]);
  its.ask();
}

// ---- let somebody in

/** Let a player in by a card's code, or with coins of a purse. */
export function letIn(view, use) {
  const seated = new Set(view.players.map((player) => player.name));
  const its = chooser(
    () => false,
    (purse) => !seated.has(purse.player),
  );
  const amount = newAmount(data.view.usual_buy_in);
  const seat = newAmount("", { coins: false, optional: true });
  let code = "";
  const check = (event) => {
    event.preventDefault();
    return once(its, close, async () => {
      const { player } = await post(`${PURSES}/cards`, { code });
      return { events: [{ text: t("card_asked", { player }) }] };
    });
  };
  const enter = (event) => {
    event.preventDefault();
    const why = whyNot(its, amount) ?? refusal(seat);
    if (why) return toast(why, "error");
    return once(its, close, () => sitDown(its, numberIn(amount), seat, use));
  };
  const close = dialog.open(t("purse_join"), () => [
    h(
      "form",
      { class: "join-form", key: "card", onsubmit: check },
      h(
        "label",
        {},
        h("span", {}, t("card_code")),
        h("input", {
          name: "code",
          maxlength: 40,
          required: true,
          autocomplete: "off",
          autocapitalize: "characters",
          value: code,
          oninput: (event) => (code = event.target.value),
        }),
      ),
      h("button", { type: "submit" }, t("card_code_do")),
    ),
    h(
      "form",
      { class: "join-form", key: "purse", onsubmit: enter },
      choice(its),
      inside(its),
      labelled(t("purse_coins"), amount, dialog.redraw),
      labelled(t("join_seat"), seat, dialog.redraw, { placeholder: t("seat_any") }),
      h(
        "button",
        {
          type: "submit",
          class: "primary",
          "aria-disabled": (whyNot(its, amount) ?? firstRefusal(seat)) && "true",
        },
        t("purse_join_do"),
      ),
    ),
  ]);
  its.ask();
}

/** Let a player in with coins; asked again after these were not heard of, they sit there already. */
async function sitDown(its, coins, seat, use) {
  const { player, purse } = its.held;
  const record = { do: "join", player, coins: 0, ...use.joinRecord?.() };
  if (!isEmpty(seat)) record.seat = numberIn(seat);
  if (its.seated !== player) await command("dealer", record);
  its.seated = player;
  try {
    return await move(its, { do: "buy-in", player, purse, coins });
  } catch (error) {
    error.message = t("purse_only_seated", { player, why: error.message });
    throw error;
  }
}

// ---- what both dialogs share

/** Do something that is asked for once, and close the dialog; where it is refused it stays, to ask otherwise. */
async function once(its, close, doIt) {
  if (its.isBusy) return;
  its.isBusy = true;
  try {
    const told = await doIt();
    close();
    toast(told.events.find((event) => event.text)?.text ?? t("purse_done"));
  } catch (error) {
    toast(error.message, "error");
    its.ask();
  }
  its.isBusy = false;
}

/**
 * The purses to choose from, and what the chosen one holds, asked anew for as long as the dialog is open.
 * @param {function(object): boolean} isOwn which one is chosen to begin with
 */
function chooser(isOwn, isOffered = () => true) {
  /**
   * @type {{list: Purses["purses"]|null, chosen: number|null, held: PurseHeld|null, cutOff: string|null,
   *   isBusy: boolean, unsure: {what: string, key: string}|null, seated?: string}}
   */
  const its = { list: null, chosen: null, held: null, cutOff: null, isBusy: false, unsure: null };
  let timer = null;
  its.ask = async () => {
    clearTimeout(timer);
    try {
      const told = await read(PURSES);
      its.chosen ??= (its.list ? null : told.purses.find(isOwn)?.purse) ?? null;
      its.list = told.purses.filter(isOffered);
      its.cutOff = told.cut_off ?? null;
      const asked = its.chosen;
      const held = asked && !its.cutOff ? await read(`${PURSES}/${asked}`) : null;
      if (asked === its.chosen) its.held = held;
    } catch (error) {
      its.held = null;
      its.cutOff = error.message;
    }
    if (!dialog.isOpen()) return;
    dialog.redraw();
    timer = setTimeout(() => dialog.isOpen() && its.ask(), ASK_MS);
  };
  return its;
}

function choice(its) {
  const choose = (event) => {
    its.chosen = Number(event.target.value) || null;
    its.held = null;
    its.ask();
  };
  return h(
    "label",
    { key: "choice" },
    h("span", {}, t("purse")),
    h(
      "select",
      { onchange: choose },
      h("option", { value: "", selected: !its.chosen }, t("purse_nobody")),
      (its.list ?? []).map(({ purse, player }) =>
        h("option", { key: purse, value: purse, selected: purse === its.chosen }, player),
      ),
    ),
  );
}

const inside = (its) =>
  h(
    "div",
    { key: "inside", role: "status" },
    its.cutOff && h("p", { class: "error" }, its.cutOff),
    its.held && h("p", { class: "big" }, t("purse_holds", { count: its.held.coins })),
    its.held?.open.map((one) =>
      h(
        "p",
        { key: one.id, class: "hint" },
        t(one.state === "owed" ? "purse_owed" : "purse_reserved", { count: one.coins }),
      ),
    ),
  );

/** Why nothing can be bought in with now; null if it can. */
const whyNot = (its, amount) =>
  its.cutOff ?? (its.chosen ? (its.held ? refusal(amount) : t("connecting")) : t("purse_nobody"));
