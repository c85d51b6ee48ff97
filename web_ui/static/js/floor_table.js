// The pit's page of one table: its disputes and questions with their evidence, as the table tells them when asked.

import { announce, h, render } from "./dom.js";
import { clock, number, t } from "./page.js";

const EVERY_MS = 1500;
const LATE_S = 20;

const place = document.getElementById("disputes");
const state = document.getElementById("disputes-state");
const told = document.getElementById("disputes-told");
const table = place.dataset.table;
let said = "";

const coins = (value) => (value === null ? "–" : value > 0 ? `+${number(value)}` : number(value));

const question = (one) =>
  h(
    "li",
    { class: "panel" },
    h("p", {}, one.text || t("f_question_kept")),
    one.choices.length > 0 && h("p", { class: "hint" }, one.choices.join(" · ")),
  );

const settlement = (one) =>
  h(
    "div",
    {
      tabindex: 0,
      role: "region",
      "aria-label": one.text,
      class: `scroll${one.differences.length ? " floor-differs" : ""}`,
    },
    h(
      "table",
      {},
      h("caption", {}, `${number(one.seq)}: ${one.text}`),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", {}, t("f_account")),
          h("th", { class: "num" }, t("f_first_settlement")),
          h("th", { class: "num" }, t("f_second_settlement")),
        ),
      ),
      h(
        "tbody",
        {},
        one.lines.map((line) =>
          h(
            "tr",
            { class: line.second !== null && line.first !== line.second ? "error" : "" },
            h("th", { scope: "row" }, line.account),
            h("td", { class: "num" }, coins(line.first)),
            h("td", { class: "num" }, coins(line.second)),
          ),
        ),
      ),
    ),
    one.differences.length > 0 && h("p", { class: "error" }, t("f_differ", { what: one.differences.join("; ") })),
  );

const picture = (one) =>
  h(
    "figure",
    { class: `panel floor-seen${one.is_undone ? " undone" : ""}` },
    one.jpeg
      ? h("img", { src: `/tables/${table}/pictures/${one.seq}.jpg?${one.seq}`, alt: t("f_seen", { what: one.text }) })
      : h("p", { class: "hint" }, t("f_no_picture")),
    h(
      "figcaption",
      {},
      h("p", {}, `${number(one.seq)}: ${one.text}`),
      h(
        "dl",
        { class: "floor-set" },
        Object.entries(one.facts).map(([name, value]) =>
          h("div", {}, h("dt", {}, t(`f_fact_${name}`)), h("dd", {}, value)),
        ),
      ),
    ),
  );

const parts = (found) => [
  found.hold &&
    h(
      "p",
      { class: "panel error" },
      found.disputed ? t("f_disputed", { why: found.hold }) : t("f_held", { why: found.hold }),
    ),
  found.questions.length > 0 && h("ul", { class: "floor-asked" }, found.questions.map(question)),
  !found.hold && !found.questions.length && h("p", { class: "floor-calm" }, `✓ ${t("f_nothing_open")}`),
  h("h3", {}, t("f_settled_twice", { round: found.round })),
  found.settlements.length ? found.settlements.map(settlement) : h("p", { class: "hint" }, t("f_not_settled")),
  h("h3", {}, t("f_pictures")),
  found.pictures.length
    ? h("div", { class: "floor-pictures" }, found.pictures.map(picture))
    : h("p", { class: "hint" }, t("f_no_pictures")),
];

function draw({ online, told: found }) {
  place.setAttribute("aria-busy", String(!found));
  if (!found) return render(state, online ? t("f_asking") : t("f_cut_off"));
  const isOld = Date.now() / 1000 - found.at > LATE_S;
  render(state, t(isOld ? "f_as_it_was" : "f_as_it_is", { time: clock(found.at * 1000) }));
  const now = JSON.stringify({ ...found, at: 0 });
  if (now === said) return;
  if (said && found.hold) announce(found.hold);
  said = now;
  render(told, parts(found));
}

async function ask() {
  try {
    const answer = await fetch(`/tables/${table}/disputes.json`, { cache: "no-store", redirect: "error" });
    if (!answer.ok) throw new Error(answer.statusText);
    draw(await answer.json());
  } catch {
    render(state, t("f_floor_silent"));
  }
  setTimeout(ask, EVERY_MS);
}

ask();
