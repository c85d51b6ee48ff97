// Why a payout is what it is: rule, price and sum, the exact chance the bet had, the ruling, and what the camera saw.

import { h } from "./dom.js";
import { suitEmblem } from "./card.js";
import * as dialog from "./dialog.js";
import { cardName, decimals, spotName, t } from "./page.js";
import { coinRow, route } from "./pieces.js";
import { byPlayer, isWon, outcomeText, winText } from "./sums.js";

const ONE_ROLL = ["center", "day", "night"];
const behind = { seq: -1, facts: null, asked: false };

/** The pay-out list of Roche's last result. */
export function payouts(view, redraw) {
  if (!view.result) return null;
  return h(
    "section",
    { class: "panel payouts", key: "payouts", "data-suit": view.result.cut },
    h("h2", {}, suitEmblem(view.result.cut), t("result")),
    view.settled.length === 0 && h("p", { class: "hint" }, t("nobody_bet")),
    h("ul", { class: "paid" }, byPlayer(view.settled).map((one) => [sumOf(one), one.lines.map((line) => bet(line, `${line.player}/${line.on}`, spotName, rocheReasons(line, view), view, redraw, one.wins > 1))])),
  );
}

/** A pay-out list of House Rugen; `key` sets it apart from another one. */
export function rugenPayouts(lines, title, nameOf, view, redraw, key = "paid") {
  const numbered = lines.map((line, i) => ({ ...line, is_won: isWon(line), is_paid: key !== "paid", at: i }));
  return h("section", { class: "panel payouts", key }, h("h2", {}, title), h("ul", { class: "paid" }, byPlayer(numbered).map((one) => [key === "paid" && sumOf(one), one.lines.map((line) => bet(line, line.at, nameOf, rugenReasons(line, view), view, redraw, key === "paid" && one.wins > 1))])));
}

/** What a player gets for several winning bets together. */
const sumOf = (one) => one.wins > 1 && h("li", { key: `sum/${one.player}`, class: "sum" }, h("span", { class: "who" }, one.player), h("b", {}, winText(one, "pay_out")));

/** Who pays whom in Rochi, each line with its reason. */
export function rochiPayments(view, redraw) {
  if (!view.payments?.length) return null;
  const line = (one, i) =>
    h("li", { key: i }, h("details", { ontoggle: (event) => event.target.open && ask(view, redraw) }, h("summary", {}, route(one), coinRow(one.coins, one.chips), h("span", { class: "why" }, t("explain"))), h("div", { class: "explained" }, h("p", {}, t("ex_because", { why: one.why })), rulings(rochiRuling(one)), pictures(view))));
  return h("section", { class: "panel payments", key: "payments" }, h("h2", {}, t("payments")), h("ul", {}, view.payments.map(line)));
}

// The journal's reasons are English; what kind of payment it is shows from who pays whom as well.
function rochiRuling(one) {
  if (/^penalty/.test(one.reason ?? one.why)) return ["rochi6"];
  if (one.from.startsWith("pot/")) return ["rochi5"];
  return /^buys/.test(one.reason ?? one.why) ? ["rochi3"] : /fee/.test(one.reason ?? one.why) ? ["rochi10"] : [];
}

/** One bet with its reasons; as a part of its player's sum it need not say the name again. */
function bet(line, key, nameOf, reasons, view, redraw, isPart) {
  return h(
    "li",
    { key, class: `${line.is_won ? "won" : "lost"}${isPart ? " part" : ""}` },
    h(
      "details",
      { ontoggle: (event) => event.target.open && ask(view, redraw) },
      h("summary", { "aria-label": `${line.player}, ${nameOf(line.on)}: ${amount(line, isPart)}. ${t("explain")}` }, h("span", { class: isPart ? "who quiet" : "who" }, line.player), h("span", { class: "on" }, nameOf(line.on)), h("b", {}, amount(line, isPart)), h("span", { class: "why" }, t("explain"))),
      h("div", { class: "explained" }, reasons, chanceOf(line, view), pictures(view)),
    ),
  );
}

/** What to pay for a bet; what is paid already, or with its player's sum, is only told. */
const amount = (line, isPart) => outcomeText(line, isPart || line.is_paid ? "win" : "pay_out");
const told = (texts) => texts.filter(Boolean).map((text, i) => h("p", { key: i }, text));
const rulings = (names) => names.map((name) => h("p", { key: name, class: "ruling" }, t("ex_ruling", { name: t(`ruling_name_${name}`), text: t(`ruling_${name}`) })));

function rocheReasons(line, view) {
  const kind = line.on.split("/")[0];
  const [win, per] = line.pays.split(":").map(Number);
  const idle = line.amount % per;
  return [
    told([
      t(`rule_${kind}`),
      t("ex_price", { price: line.pays, win, per }),
      line.is_won ? t("ex_won", { stake: line.amount, times: Math.floor(line.amount / per), win, won: line.won, total: line.won + line.amount }) : t("ex_lost", { stake: line.amount }),
      line.is_won && idle > 0 && t("ex_idle", { idle, per }),
      t("ex_cards", { cards: view.result.included.map(cardName).join(", ") }),
    ]),
    rulings([kind === "cut" ? "roche1" : "roche3", ...(per > 1 ? ["roche2"] : [])]),
  ];
}

function rugenReasons(line, view) {
  const kind = line.on.split("/")[0];
  const reading = kind.startsWith("chain-") && t(`reading_${view.chain_day_night}`);
  return [told([t(`rrule_${kind}`), reading, line.is_won && winText(line), !line.is_won && t("ex_lost", { stake: line.amount })]), rulings([ONE_ROLL.includes(kind) ? "rugen3" : "rugen4"])];
}

// ---- what stands behind: asked for when somebody looks

async function ask(view, redraw) {
  if (behind.asked || behind.seq === view.seq) return;
  behind.asked = true;
  const answer = await fetch("/dealer/reasons").catch(() => null);
  if (answer?.ok) {
    behind.facts = await answer.json();
    behind.seq = behind.facts.seq;
  }
  behind.asked = false;
  redraw();
}

const factsOf = (view) => (behind.seq === view.seq ? behind.facts : null);

/** The exact chance of a bet before the first card or throw, the fair price and what the house keeps. */
function chanceOf(line, view) {
  const known = factsOf(view)?.chances[line.on];
  if (!known) return null;
  const [, per] = String(line.pays ?? "").split(":").map(Number);
  const edge = per && !String(line.pays).includes("/") ? 1 - known.float * (Number(line.pays.split(":")[0]) / per + 1) : null;
  return [
    h("p", { key: "chance" }, t("ex_chance", { fraction: known.probability, percent: `${decimals(100 * known.float, known.float < 0.01 ? 4 : 2)} %`, fair: known.float ? decimals(1 / known.float - 1, 2) : "–" })),
    edge !== null && h("p", { key: "edge" }, t("ex_edge", { edge: `${decimals(100 * edge, 1)} %`.replace("-", "−") })),
  ];
}

function pictures(view) {
  const facts = factsOf(view);
  if (!facts) return null;
  return [
    facts.pictures.length === 0 && h("p", { class: "hint", key: "none" }, t("ex_unseen")),
    facts.pictures.length > 0 && h("ul", { class: "seen-list", key: "seen", "aria-label": t("ex_seen") }, facts.pictures.map((one) => h("li", { key: one.seq }, h("button", { type: "button", "aria-label": `${t("ex_seen")}: ${shown(one)}`, onclick: () => enlarge(one) }, h("img", { src: `/api/v1/evidence/${one.name}.jpg`, alt: "", loading: "lazy" }), h("small", {}, one.shown))))),
    facts.hand && h("p", { class: "actions", key: "links" }, h("a", { class: "button", href: base(facts) }, t("ex_steps")), facts.is_decided && h("a", { class: "button", href: `${base(facts)}/receipt` }, t("ex_receipt"))),
  ];
}

const base = (facts) => `/history/${facts.hand.replace("-", "/")}`;
const shown = (one) => (/^[2-7][DN]\d+$/.test(one.shown) ? cardName(one.shown) : one.shown);
const enlarge = (one) => dialog.open(shown(one), () => h("img", { class: "evidence-large", src: `/api/v1/evidence/${one.name}.jpg`, alt: `${t("ex_seen")}: ${shown(one)}` }));
