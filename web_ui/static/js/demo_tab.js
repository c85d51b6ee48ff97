// The dealer's tab of a demo table: who deals, who bets, and what can go wrong.

import { button, demo, demoWaits, local } from "./console.js";
import { h } from "./dom.js";
import { t } from "./page.js";

/** What the demo's two buttons say: "go on" and "clear the table". */
const CARDS = { deal: "demo_deal", gather: "demo_gather" };
const DIE = { deal: "demo_throw" };

/**
 * Draw the tab.
 * @param {object} game see `runConsole`
 */
export function demoTab(game) {
  const state = local.demo || {};
  const mischief = state.mischief || [];
  const names = game.demo ?? (game.byHand === "die" ? DIE : CARDS);
  return [
    h("h2", { key: "title" }, t("demo_title")),
    h("p", { class: "hint", key: "hint" }, t("demo_hint")),
    toggle("auto", state.auto, t("demo_auto")),
    toggle("players", state.players, t("demo_players")),
    h(
      "div",
      { class: "actions", key: "do" },
      button("demo-deal", t(names.deal), () => demo({ do: "deal" }), demoWaits()),
      names.gather && button("demo-gather", t(names.gather), () => demo({ do: "gather" }), demoWaits()),
    ),
    mischief.length > 0 && h("h3", { key: "mt" }, t("demo_mischief")),
    h(
      "div",
      { class: "actions", key: "mischief" },
      mischief.map(({ kind, label, why }) =>
        button(`demo-${kind}`, label, () => demo({ do: "mischief", kind }), why ?? false),
      ),
    ),
  ];
}

const toggle = (verb, isOn, label) =>
  h(
    "label",
    { class: "switch", key: verb },
    h("input", {
      type: "checkbox",
      role: "switch",
      checked: Boolean(isOn),
      onchange: (event) => demo({ do: verb, on: event.target.checked }),
    }),
    h("span", {}, label),
  );
