// Rochi has no house and no prices to compare: the chance of each suit to cut on the next deal, where the table shows
// it, and what a cut would bring.

import { h } from "../../js/dom.js";
import { suitEmblem } from "../../js/card.js";
import { chance, number, suitName, t } from "../../js/page.js";
import { seatBadge } from "../../js/pieces.js";
import { sign, standing } from "./pieces.js";
import { seatOf } from "./parts.js";
import { header, phasePill, start } from "../../js/shell.js";

function draw(page) {
  const { view } = page;
  const chances = new Map((view.chances || []).map((line) => [line.suit, line]));
  const top = Math.max(...[...chances.values()].map((line) => line.float), 0.01);
  return [
    header(page, [phasePill(view)], ["/", "/history", "/dealer"]),
    h(
      "main",
      { id: "main", class: "plain odds", key: "main" },
      h("h1", {}, t("odds_title_rochi")),
      h("p", { class: "hint" }, t(view.chances?.length ? "odds_hint_rochi" : "odds_off_rochi")),
      h(
        "div",
        { class: "odds-grid", key: "grid" },
        view.stacks.map((stack) => suit(stack, view, chances.get(stack.suit), top)),
      ),
    ),
  ];
}

function suit(stack, view, odds, top) {
  const state = standing(stack);
  return h(
    "section",
    { class: `panel is-${state.kind}`, key: stack.suit, "data-suit": stack.suit },
    h(
      "h2",
      {},
      suitEmblem(stack.suit),
      suitName(stack.suit),
      h("small", {}, t("count_of", { count: stack.count, of: stack.cut_at })),
    ),
    h("p", { class: "distance" }, sign(state.kind), h("span", {}, state.text)),
    odds &&
      h(
        "p",
        { class: "big-chance", title: odds.probability },
        h("b", {}, chance(odds.float)),
        " ",
        t("chance_next"),
        h(
          "span",
          { class: "bar-line", "aria-hidden": "true" },
          h("i", { style: { width: `${(100 * odds.float) / top}%` } }),
        ),
      ),
    h(
      "p",
      { class: "owner-line" },
      stack.owner
        ? [seatBadge(seatOf(view, stack.owner) ?? "?"), " ", stack.owner]
        : t(stack.is_locked ? "cond_locked" : "nobodys"),
      " · ",
      t("pot_n", { coins: view.pots[stack.suit] ?? 0 }),
    ),
    stack.if_cut.length > 0 &&
      h(
        "ul",
        { class: "paid" },
        stack.if_cut.map((line) =>
          h(
            "li",
            { key: line.player },
            h("span", { class: "who" }, line.player),
            h("span", { class: "on" }, t("would_pay")),
            h("b", {}, number(line.coins)),
          ),
        ),
      ),
  );
}

start("room", draw);
