// A player's phone at chinchirorin: own coins, the own bet, and what happens in the bowl.

import { announce, h } from "../../js/dom.js";
import { labelled, newAmount, numberIn, refusal } from "../../js/amount_field.js";
import { extras } from "../../js/aside.js";
import { once } from "../../js/betting.js";
import { dues, leaveButton, meIn, ownHistory, ownPrompt, purse, viewer } from "../../js/own.js";
import { number, t } from "../../js/page.js";
import { promptOf } from "../../js/plain.js";
import { header, phasePill, start, toast } from "../../js/shell.js";
import { bank, bowl, isOut } from "./parts.js";

const amounts = { bet: newAmount("", { optional: true }), bank: newAmount("", { optional: true }) };
let page = null;
const redraw = () => page?.redraw();
const { busy, act, offer } = once(viewer, redraw);

function draw(now) {
  const { view, live } = now;
  const me = meIn(view);
  offer(view.turn === me.name ? view.phase : "");
  return [
    header(now, [phasePill(view)], ["/", "/odds"]),
    h(
      "main",
      { id: "main", class: "seat-page bowl-seat", key: "main" },
      purse(me),
      dues(view, me),
      ownPrompt(view, whatNow(view, me), { isMine: view.turn === me.name }),
      extras(view),
      live !== false && !view.hold && doing(view, me),
      bowl(view),
      bank(view),
      ownHistory(view, me, redraw),
      leaveButton(),
    ),
  ];
}

/** What the table waits for, as far as it is about whoever reads it. */
function whatNow(view, me) {
  if (view.turn === me.name) return t(`my_${view.phase}`);
  if (view.phase !== "over" && isOut(view, me)) return t("you_out");
  if (view.asked.includes(me.name)) return t("my_draw");
  return view.phase === "betting" ? whatToBet(view, me) : promptOf(view);
}

function whatToBet(view, me) {
  if (view.banker === me.name) return t("you_bank");
  if (!view.may_bet.includes(me.name)) return t(me.staked > 0 ? "you_stand" : "you_past");
  return me.coins > 0 ? t("you_may_bet", { banker: view.banker }) : promptOf(view);
}

function doing(view, me) {
  if (view.phase === "betting") return betting(view, me);
  if (view.turn !== me.name) return null;
  if (view.phase === "bank") return h("section", { class: "panel", key: "banking" }, amountForm("bank"));
  return view.phase === "wash" && h("section", { class: "panel my-turn", key: "wash" }, washButtons());
}

const washButtons = () =>
  h(
    "div",
    { class: "actions" },
    ["keep-bank", "pass-bank"].map((verb) =>
      h(
        "button",
        { type: "button", key: verb, "aria-disabled": off(verb), onclick: () => act(verb, { do: verb }) },
        t(`do_${verb}`),
      ),
    ),
  );

function betting(view, me) {
  if (!view.may_bet.includes(me.name)) return null;
  const mine = view.bets.find((one) => one.player === me.name);
  if (!mine && me.coins === 0) return null;
  return h("section", { class: "panel", key: "betting" }, me.coins > 0 && amountForm("bet"), mine && back(mine));
}

/** A form that gives a verb with an amount: the own bet, or the own bank. */
function amountForm(verb) {
  const amount = amounts[verb];
  const send = async (event) => {
    event.preventDefault();
    const why = refusal({ ...amount, optional: false }); // an empty field is complained of when the form is sent
    if (why) return toast(why, "error");
    if (await act(verb, { do: verb, amount: numberIn(amount) })) amount.text = "";
    redraw();
  };
  return h(
    "form",
    { class: "amount-form", key: verb, "data-verb": verb, onsubmit: send },
    labelled(t("amount"), amount, redraw, { name: "amount" }),
    h("button", { type: "submit", class: "primary", "aria-disabled": off(verb) }, t(`do_${verb}`)),
  );
}

const back = (mine) =>
  h(
    "button",
    {
      type: "button",
      class: "quiet-button",
      "aria-disabled": off("take-back"),
      onclick: () => act("take-back", { do: "take-back" }),
    },
    t("take_back_mine", { amount: number(mine.amount) }),
  );

const said = (view) => (view.hold ? t("phase_hold") : whatNow(view, meIn(view)));

const off = (name) => (busy.has(name) ? "true" : null);

page = start(viewer, draw, {
  onView: (view, before) => said(view) !== said(before) && announce(said(view)),
});
