// A player's phone at hold'em: own coins, what to say when it is the own turn, and what lies on the table.

import { announce, h } from "../../js/dom.js";
import { extras } from "../../js/aside.js";
import { once } from "../../js/betting.js";
import { dues, leaveButton, meIn, ownHistory, ownPrompt, purse, viewer } from "../../js/own.js";
import { named, number, t } from "../../js/page.js";
import { promptOf } from "../../js/plain.js";
import { header, phasePill, start } from "../../js/shell.js";
import { acting } from "./acting.js";
import { hands, middle } from "./parts.js";
import { levelClock, outOfCoins, standing, ticking } from "./tournament.js";

let page = null;
const redraw = () => page?.redraw();
const { busy, act, offer } = once(viewer, redraw);
/** What is said of this bet must not count for a later one. */
const send = (record) => act(record.do, record, undefined, page.view.seq);

function draw(now) {
  const { view, live } = now;
  const me = meIn(view);
  const isMine = view.turn === me.name && live !== false && !view.hold;
  offer(isMine ? view.phase : "");
  return [
    header(now, [phasePill(view)], ["/"]),
    h(
      "main",
      { id: "main", class: "seat-page holdem-seat", key: "main" },
      purse(me, { staked: false }),
      dues(view, me),
      levelClock(view),
      prompt(view, me),
      extras(view),
      isMine && doing(view),
      middle(view),
      hands(view),
      standing(view),
      ownHistory(view, me, redraw),
      leaveButton(),
    ),
  ];
}

const DEALERS = ["ready", "hole", "deal-flop", "deal-turn", "deal-river"];

/** What the table waits for; what the dealer does next is the dealer's, who reads more of it. */
const others = (view) => (DEALERS.includes(view.phase) ? named("phase", view.phase) : promptOf(view));

function prompt(view, me) {
  const isMine = view.turn === me.name;
  const out = outOfCoins(view, me);
  return ownPrompt(view, isMine ? mine(view) : others(view), { isMine, more: out && h("p", { class: "hint" }, out) });
}

function mine(view) {
  if (view.phase === "hole") return t("my_hole");
  if (view.phase === "showdown") return t("my_showdown");
  return view.to_call > 0 ? t("my_call", { coins: number(view.to_call) }) : t("my_check");
}

function doing(view) {
  if (view.expected.includes("fold"))
    return h(
      "section",
      { class: "panel my-turn", key: "doing" },
      acting({ view, send, redraw, busy: (name) => busy.has(name) }),
    );
  return (
    view.expected.includes("muck") &&
    h(
      "section",
      { class: "panel my-turn", key: "mucking" },
      h(
        "button",
        {
          type: "button",
          class: "do-muck",
          "aria-disabled": busy.has("muck") ? "true" : null,
          onclick: () => send({ do: "muck" }),
        },
        t("do_muck"),
      ),
    )
  );
}

page = start(viewer, draw, {
  onView: (view, before) => promptOf(view) !== promptOf(before) && announce(promptOf(view)),
});
ticking(redraw);
