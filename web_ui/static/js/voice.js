// Announcements by the browser's own speech, in the page's language. Off until somebody switches them on here.
// News interrupts the sentence being spoken, so that the voice is never behind; only payments wait their turn, until
// they are ticked or undone. Phones do not announce the dealer's actions.

import { h } from "./dom.js";
import { t } from "./page.js";

const KEY = "voice";
const synth = window.speechSynthesis;
const isPhone = document.documentElement.dataset.page === "seat";
let on = stored();
let toPay = []; // steps of the pay sheet that were not said yet

function stored() {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false; // no storage: off
  }
}

/** The switch, where the browser can speak. */
export function voiceButton(redraw) {
  if (!synth) return null;
  return h(
    "button",
    {
      type: "button",
      class: "icon voice",
      key: "voice",
      "aria-pressed": String(on),
      "aria-label": t("voice"),
      title: t("voice"),
      onclick: () => (toggle(), redraw()),
    },
    h(
      "svg",
      { viewBox: "0 0 24 24", class: "emblem", "aria-hidden": "true" },
      h("path", { d: "M3 9v6h4l5 5V4L7 9z", fill: "currentColor" }),
      h("path", {
        d: on ? "M15 8.5a5 5 0 0 1 0 7M17.5 6a8.5 8.5 0 0 1 0 12" : "M15.5 9.5l5 5M20.5 9.5l-5 5",
        fill: "none",
        stroke: "currentColor",
        "stroke-width": 2,
        "stroke-linecap": "round",
      }),
    ),
  );
}

function toggle() {
  on = !on;
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    // holds for this page only
  }
  if (on) speak([{ text: t("voice_on") }]);
  else synth.cancel();
}

/** Say what is new between two views. */
export function sayNews(view, before) {
  if (!on || !synth) return;
  const [news, old] = [newest(view), newest(before)];
  const said = news.seq > old.seq ? news.texts.map((text) => ({ text })) : [];
  const prompt = promptOf(view) && promptOf(view) !== promptOf(before) ? [{ text: promptOf(view) }] : [];
  const isNew = sheetOf(view)?.id !== sheetOf(before)?.id;
  const still = stepsOf(view);
  const left = isNew ? still : toPay.filter((line) => still.some((step) => step.key === line.key));
  if (said.length || prompt.length || isNew || left.length < toPay.length) speak([...said, ...left, ...prompt]);
}

const sheetOf = (view) => (view.pay_sheet && !view.pay_sheet.is_past && !isPhone ? view.pay_sheet : null);

/** What of the pay sheet is to be done, one sentence each. */
const stepsOf = (view) =>
  (sheetOf(view)?.steps ?? [])
    .filter((step) => step.kind !== "stake" && !view.pay_sheet.paid.includes(step.key))
    .map(({ key, says }) => ({ key, text: says }));

/** The newest command, and all that is told of it. */
function newest(view) {
  const told = (view.log || []).filter((line) => line.kind === "command" && line.text);
  const seq = told.at(-1)?.seq ?? 0;
  return { seq, texts: told.filter((line) => line.seq === seq).map((line) => line.text) };
}

/** Dice and pockets in a row are no sum, no fraction and no date. */
const aloud = (text) => text.replace(/(\d)[-/](?=\d)/g, "$1, ");

const promptOf = (view) => view.questions?.find((question) => question.blocks)?.text || view.prompt;

function speak(lines) {
  toPay = lines.filter((line) => line.key);
  synth.cancel(); // what still waits is old by now, or said again behind the news
  for (const line of lines) {
    const sentence = new SpeechSynthesisUtterance(aloud(line.text));
    sentence.onstart = () => (toPay = toPay.filter((one) => one !== line));
    sentence.lang = document.documentElement.lang;
    sentence.voice = synth.getVoices().find((voice) => voice.lang.startsWith(sentence.lang)) || null;
    synth.speak(sentence);
  }
}
