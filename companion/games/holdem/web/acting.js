// Fold, check or call, bet or raise: the same for a phone, for itself, and for the dealer, for whoever speaks.

import { labelled, newAmount, numberIn, refusal } from "../../js/amount_field.js";
import { h } from "../../js/dom.js";
import { number, t } from "../../js/page.js";
import { toast } from "../../js/shell.js";

const draft = { step: null, amount: newAmount("", { optional: true }) };

/** Check or call, whichever it is now: verb and label. */
export const stay = (view) =>
  view.to_call > 0
    ? { verb: "call", label: t("do_call_coins", { coins: number(view.to_call) }) }
    : { verb: "check", label: t("do_check") };

/**
 * Everything that whoever's turn it is may do.
 * @param {object} its view, send(record) → promise, busy(name), redraw
 */
export function acting({ view, send, busy, redraw }) {
  const step = `${view.session}/${view.commands}/${view.undo}`;
  if (draft.step !== step) [draft.step, draft.amount.text] = [step, ""];
  return h(
    "section",
    { class: "acting", key: "acting" },
    h("div", { class: "actions stay", key: "stay" }, fold(send, busy), staying(view, send, busy)),
    view.sizes.length > 0 && [sizes(view, redraw), enlarging(view, send, busy, redraw)],
  );
}

const doing = (verb, label, send, busy, cls = "") =>
  h(
    "button",
    {
      type: "button",
      key: verb,
      class: `do-${verb} ${cls}`,
      "aria-disabled": busy(verb) ? "true" : null,
      onclick: () => send({ do: verb }),
    },
    label,
  );

const fold = (send, busy) => doing("fold", t("do_fold"), send, busy);

function staying(view, send, busy) {
  const { verb, label } = stay(view);
  return doing(verb, label, send, busy, "primary");
}

const isChosen = (size) => numberIn(draft.amount) === size.to;

/** A size only fills the field: nothing goes in before it is said once more. */
const sizes = (view, redraw) =>
  h(
    "div",
    { class: "sizes", key: "sizes", role: "group", "aria-label": t("sizes") },
    view.sizes.map((size) =>
      h(
        "button",
        {
          type: "button",
          key: size.size,
          class: `size-${size.size}`,
          "aria-pressed": String(isChosen(size)),
          onclick: () => ((draft.amount.text = String(size.to)), redraw()),
        },
        h("span", {}, t(`size_${size.size}`)),
        h("b", {}, number(size.to)),
      ),
    ),
  );

function enlarging(view, send, busy, redraw) {
  const verb = view.bet > 0 ? "raise" : "bet";
  const give = (event) => {
    event.preventDefault();
    const why = refusal({ ...draft.amount, optional: false }); // an empty field is complained of when the form is sent
    if (why) return toast(why, "error");
    return send({ do: verb, to: numberIn(draft.amount) });
  };
  const to = numberIn(draft.amount);
  const all = view.sizes.at(-1).to;
  const label = to === all ? t("do_all-in_coins", { coins: number(to) }) : t(`do_${verb}_to`, { to: number(to ?? 0) });
  return h(
    "form",
    { class: "amount-form", key: "enlarge", "data-verb": verb, onsubmit: give },
    labelled(t(`to_${verb}`), draft.amount, redraw, { name: "to" }),
    h(
      "button",
      { type: "submit", class: to === null ? "" : "primary", "aria-disabled": busy(verb) ? "true" : null },
      to === null ? t(`do_${verb}`) : label,
    ),
  );
}
