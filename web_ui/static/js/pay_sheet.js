// The pay sheet: what the dealer's hands do after a decision, in order, with a tick for each payment. The room shows
// the same sheet without buttons, and prints leave everything else out.

import { h } from "./dom.js";
import { data, number, t } from "./page.js";
import { coin, partyName, potName, seatBadge } from "./pieces.js";

/** @typedef {import("./types").RoomView} RoomView */
/** @typedef {import("./types").PayStepJson} PayStep */

/**
 * The sheet; null while there is none.
 * @param {RoomView} view
 * @param {{nameOf?: function(string): string, tick?: function(string[], boolean): void, busy?: boolean}} use
 *   nameOf(on) says a spot in words; tick(keys, paid) notes steps as done: without it nothing can be pressed
 */
export function paySheet(view, use = {}) {
  const sheet = view.pay_sheet;
  if (!sheet || sheet.steps.length === 0) return null;
  const done = sheet.left === 0 && sheet.steps.some((step) => step.can_tick);
  return h(
    "section",
    {
      class: `panel pay-sheet${done ? " is-done" : ""}${sheet.is_past ? " is-past" : ""}`,
      key: "pay-sheet",
      "aria-label": t("pay_sheet"),
    },
    h(
      "header",
      {},
      h("h2", {}, t("pay_sheet")),
      h("span", { class: "pay-of" }, [data.title, t("round", { n: number(view.rounds) })].filter(Boolean).join(" · ")),
      sheet.house !== null && houseLine(sheet.house),
      h("span", { class: "pay-left", role: use.tick ? "status" : null }, leftText(sheet, done)),
    ),
    sheet.is_past && h("p", { class: "hint pay-past" }, t("pay_past")),
    h("ol", { class: "pay-steps", "data-rows": "" }, grouped(sheet.steps, view, use), moreRow()),
    sheet.steps.some((step) => step.own > 0) && legend(),
    use.tick && buttons(sheet, use),
  );
}

const leftText = (sheet, done) =>
  done ? t("pay_done") : sheet.waits ? t("pay_waits", { count: sheet.left }) : t("pay_left", { count: sheet.left });

const houseLine = (coins) =>
  h(
    "span",
    { class: "pay-house" },
    t("party_house"),
    " ",
    h("b", { class: coins < 0 ? "minus" : "" }, coins > 0 ? `+${number(coins)}` : number(coins)),
  );

export const moreRow = () => h("li", { key: "more", class: "more-rows", hidden: true });

/** What the chips in an outline are, where the rows themselves have no room to say it. */
const legend = () =>
  h("p", { class: "pay-legend", key: "legend" }, h("span", { class: "pay-own" }, t("stake")), " ", t("pay_keep"));

const buttons = (sheet, use) =>
  h(
    "div",
    { class: "actions no-print" },
    h(
      "button",
      {
        type: "button",
        class: "pay-all",
        key: "all",
        "aria-disabled": sheet.left === 0 || use.busy ? "true" : null,
        onclick: () => sheet.left > 0 && use.tick(open(sheet), true),
      },
      t("pay_all"),
    ),
    h("button", { type: "button", class: "quiet-button", key: "print", onclick: () => window.print() }, t("print")),
  );

const open = (sheet) =>
  sheet.steps.filter((step) => step.can_tick && !sheet.paid.includes(step.key)).map((step) => step.key);

/** Payments of several payers to one player stand below their sum. */
function grouped(steps, view, use) {
  const sums = new Map();
  for (const step of steps) if (getsCoins(step)) sums.set(step.to, [...(sums.get(step.to) ?? []), step]);
  return steps.map((step) => {
    const together = sums.get(step.to) ?? [];
    const isPart = getsCoins(step) && together.length > 1;
    return [isPart && together[0] === step && sumRow(together, view), row(step, view, use, isPart)];
  });
}

const getsCoins = (step) => step.kind === "pay" || step.kind === "hand";

const sumRow = (steps, view) =>
  h(
    "li",
    { key: `sum ${steps[0].to}`, class: "pay-sum" },
    who(steps[0].to, view),
    h("span", {}, t("pay_gets")),
    h("b", {}, number(steps.reduce((sum, step) => sum + step.coins, 0))),
  );

function row(step, view, use, isPart) {
  const isPaid = view.pay_sheet.paid.includes(step.key);
  const content = [
    step.can_tick
      ? h("i", { class: "tick", "aria-hidden": "true" }, isPaid ? "✓" : "")
      : h("i", { class: "tick none", "aria-hidden": "true" }),
    h(
      "span",
      { class: "pay-line" },
      h("span", { class: "pay-what" }, WHAT[step.kind](step, view, isPart)),
      h("span", { class: "pay-coins" }, step.kind === "take" ? null : chips(step), h("b", {}, number(step.coins))),
    ),
    detail(step, use.nameOf, isPart),
  ];
  return h(
    "li",
    {
      key: step.key,
      class: `pay-step is-${step.kind}${isPaid ? " is-paid" : ""}${isPart ? " part" : ""}`,
      "data-row": "",
    },
    use.tick && step.can_tick
      ? h(
          "button",
          {
            type: "button",
            role: "checkbox",
            class: "pay-tick",
            "aria-checked": String(isPaid),
            "aria-disabled": use.busy ? "true" : null,
            "aria-label": step.says,
            onclick: () => use.tick([step.key], !isPaid),
          },
          content,
        )
      : h("div", { class: "pay-tick", role: "group", "aria-label": step.says }, content),
  );
}

const WHAT = {
  take: (step) => (step.to === "house" ? t("pay_take") : t("pay_take_to", { to: partyName(step.to) })),
  pay: (step, view, isPart) => (isPart ? sources(step) : [t("pay_pay"), " ", who(step.to, view)]),
  hand: (step, view, isPart) =>
    isPart ? who(step.parts[0].at, view) : [who(step.parts[0].at, view), arrow(), who(step.to, view)],
  keep: (step, view) => [who(step.to, view), ": ", t("stake"), " ", t("pay_keep")],
  stake: (step, view) => [who(step.parts[0].at, view), " ", t("pay_stake")],
};

const arrow = () => h("span", { class: "arrow", "aria-hidden": "true" }, " → ");

/** A player with the seat, or any other party by its name. */
function who(label, view) {
  const name = partyName(label);
  const seat = view.players.find((one) => one.name === name)?.seat;
  return h("span", { class: "pay-who" }, seat && [seatBadge(seat), " "], h("span", { class: "who" }, name));
}

/** Where a player's coins come from: the house, pots, stakes of others. */
export const sources = (step) =>
  [...new Set(step.parts.filter((part) => !part.is_own).map((part) => sourceOf(part)))].join(" + ");

/** Whether all of a player's new coins come from the house. */
export const isFromHouse = (step) =>
  step.parts.every((part) => part.is_own || (part.on === null && part.at === "house"));

function newCoins(step) {
  const coins = number(step.coins - step.own);
  return isFromHouse(step) ? t("pay_new_house", { coins }) : t("pay_new", { coins, from: sources(step) });
}

const sourceOf = (part) =>
  part.on !== null
    ? t("pay_stakes")
    : part.at.startsWith("pot/")
      ? potName(part.at.slice("pot/".length))
      : partyName(part.at);

/** "4 × 10 + 4 × 1": chips to count out, and those of the own stake in an outline. */
const chips = (step) =>
  h(
    "span",
    { class: "pay-chips", "aria-hidden": "true" },
    piles(step.chips),
    step.chips.length > 0 && step.own_chips.length > 0 && "+",
    step.own_chips.length > 0 && h("span", { class: "pay-own", key: "own" }, piles(step.own_chips)),
  );

const piles = (all) =>
  all.map(({ value, count }, i) => [
    i > 0 && "+",
    h("span", { class: "pay-pile", key: value }, `${number(count)} ×`, coin(value)),
  ]);

function detail(step, nameOf, isPart) {
  const text = DETAIL[step.kind]?.(step, isPart, nameOf);
  return text && h("small", { class: "pay-detail" }, text);
}

const DETAIL = {
  take: (step, _, nameOf) => bySpot(step.parts, nameOf),
  pay: (step, isPart, nameOf) =>
    [
      !isPart && step.own > 0 && newCoins(step),
      !isPart && step.own === 0 && fromWhere(step),
      bySpot(
        step.parts.filter((part) => part.on !== null && !part.is_own),
        nameOf,
      ),
      step.own > 0 && t("pay_own", { own: number(step.own) }),
    ]
      .filter(Boolean)
      .join(" · "),
  keep: (step, _, nameOf) => (nameOf ? spots(step.parts, nameOf) : ""),
};

/** Which pots, and how much out of each; the house is said by nobody else, and stakes one by one by their owners. */
function fromWhere(step) {
  const sums = new Map();
  for (const part of step.parts) sums.set(sourceOf(part), (sums.get(sourceOf(part)) ?? 0) + part.coins);
  return sums.size > 1 ? [...sums].map(([source, coins]) => `${source} ${number(coins)}`).join(" · ") : sources(step);
}

const spots = (parts, nameOf) => [...new Set(parts.map((part) => nameOf(part.on)))].join(", ");

/** "Kin cuts: Dorian 9, Esther 25 · Mages by day: Dorian 2". */
function bySpot(parts, nameOf) {
  const found = new Map();
  for (const part of parts) {
    const spot = nameOf ? nameOf(part.on) : "";
    found.set(spot, [...(found.get(spot) ?? []), `${part.player ?? t("party_house")} ${number(part.coins)}`]);
  }
  return [...found].map(([spot, lines]) => (spot ? `${spot}: ` : "") + lines.join(", ")).join(" · ");
}

// ---- ticks

/** The keys of the next step to tick, or of the latest one that is ticked; none where there is none. */
export const nextTick = (sheet) => open(sheet).slice(0, 1);
export const lastTick = (sheet) => sheet.paid.slice(-1);
