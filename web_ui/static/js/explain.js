// Why a payout is what it is: rule, price and sum, the exact chance the bet had, the ruling, and what the camera saw.

import { h } from "./dom.js";
import * as dialog from "./dialog.js";
import { cardName, decimals, t } from "./page.js";
import { outcomeText } from "./sums.js";

const behind = { seq: -1, facts: null, asked: false };

/** A list that is opened by whoever asks why: the pay sheet says what to do. */
export const folded = (title, key, content, props = {}) =>
  h("details", { ...props, class: "panel payouts", key }, h("summary", { class: "fold" }, title), content);

/** One bet with its reasons. */
export function bet(line, key, nameOf, reasons, view, redraw) {
  return h(
    "li",
    { key, class: line.is_won ? "won" : "lost" },
    h(
      "details",
      { ontoggle: (event) => event.target.open && ask(view, redraw) },
      h(
        "summary",
        { "aria-label": `${line.player}, ${nameOf(line.on)}: ${outcomeText(line)}. ${t("explain")}` },
        h("span", { class: "who" }, line.player),
        h("span", { class: "on" }, nameOf(line.on)),
        h("b", {}, outcomeText(line)),
        h("span", { class: "why" }, t("explain")),
      ),
      h("div", { class: "explained" }, reasons, chanceOf(line, view), pictures(view)),
    ),
  );
}

/** Reasons as paragraphs. */
export const told = (texts) => texts.filter(Boolean).map((text, i) => h("p", { key: i }, text));
/** The rulings behind it, by their names. */
export const rulings = (names) =>
  names.map((name) =>
    h(
      "p",
      { key: name, class: "ruling" },
      t("ex_ruling", { name: t(`ruling_name_${name}`), text: t(`ruling_${name}`) }),
    ),
  );

// ---- what stands behind: asked for when somebody looks

/** Get what stands behind the payouts as they are now. */
export async function ask(view, redraw) {
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

/** The exact chance of a bet before the first card or throw, the fair price and what the house keeps: `line.edge`
 * where a bet may end in other ways than won or lost. */
function chanceOf(line, view) {
  const known = factsOf(view)?.chances[line.on];
  if (!known) return null;
  const [, per] = String(line.pays ?? "")
    .split(":")
    .map(Number);
  const priced = per && !String(line.pays).includes("/");
  const edge = line.edge ?? (priced ? 1 - known.float * (Number(line.pays.split(":")[0]) / per + 1) : null);
  return [
    h(
      "p",
      { key: "chance" },
      t("ex_chance", {
        fraction: known.probability,
        percent: `${decimals(100 * known.float, known.float < 0.01 ? 4 : 2)} %`,
        fair: known.float ? decimals(1 / known.float - 1, 2) : "–",
      }),
    ),
    edge !== null && h("p", { key: "edge" }, t("ex_edge", { edge: `${decimals(100 * edge, 1)} %`.replace("-", "−") })),
  ];
}

/** What the camera saw of it, and the way to the whole hand. */
export function pictures(view) {
  const facts = factsOf(view);
  if (!facts) return null;
  return [
    facts.pictures.length === 0 && h("p", { class: "hint", key: "none" }, t("ex_unseen")),
    facts.pictures.length > 0 &&
      h(
        "ul",
        { class: "seen-list", key: "seen", "aria-label": t("ex_seen") },
        facts.pictures.map((one) =>
          h(
            "li",
            { key: one.seq },
            h(
              "button",
              { type: "button", "aria-label": `${t("ex_seen")}: ${shown(one)}`, onclick: () => enlarge(one) },
              h("img", { src: `/api/v1/evidence/${one.name}.jpg`, alt: "", loading: "lazy" }),
              h("small", {}, one.shown),
            ),
          ),
        ),
      ),
    facts.hand &&
      h(
        "p",
        { class: "actions", key: "links" },
        h("a", { class: "button", href: base(facts) }, t("ex_steps")),
        facts.is_decided && h("a", { class: "button", href: `${base(facts)}/receipt` }, t("ex_receipt")),
      ),
  ];
}

const base = (facts) => `/history/${facts.hand.replace("-", "/")}`;
const shown = (one) => (/^[2-7][DN]\d+$/.test(one.shown) ? cardName(one.shown) : one.shown);
const enlarge = (one) =>
  dialog.open(shown(one), () =>
    h("img", {
      class: "evidence-large",
      src: `/api/v1/evidence/${one.name}.jpg`,
      alt: `${t("ex_seen")}: ${shown(one)}`,
    }),
  );
