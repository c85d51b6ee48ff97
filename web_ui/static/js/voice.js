// Announcements by the browser's own speech, in the page's language. Off until somebody switches them on here.
// What happens while a sentence is spoken takes its place: the voice is never behind the table.

import { h } from "./dom.js";
import { t } from "./page.js";

const KEY = "voice";
const synth = window.speechSynthesis;
let on = stored();

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
  if (on) speak([t("voice_on")]);
  else synth.cancel();
}

/** Say what is new between two views. */
export function sayNews(view, before) {
  if (!on || !synth) return;
  const [news, old] = [newest(view), newest(before)];
  const said = [];
  if (news.seq > old.seq) said.push(...news.texts);
  if (promptOf(view) && promptOf(view) !== promptOf(before)) said.push(promptOf(view));
  if (said.length) speak(said);
}

/** The newest command, and all that is told of it. */
function newest(view) {
  const told = (view.log || []).filter((line) => line.kind === "command" && line.text);
  const seq = told.at(-1)?.seq ?? 0;
  return { seq, texts: told.filter((line) => line.seq === seq).map((line) => line.text) };
}

/** Dice and pockets in a row are no sum, no fraction and no date. */
const aloud = (text) => text.replace(/(\d)[-/](?=\d)/g, "$1, ");

const promptOf = (view) => view.questions?.find((question) => question.blocks)?.text || view.prompt;

function speak(texts) {
  synth.cancel(); // what still waits is old by now
  for (const text of texts) {
    const sentence = new SpeechSynthesisUtterance(aloud(text));
    sentence.lang = document.documentElement.lang;
    sentence.voice = synth.getVoices().find((voice) => voice.lang.startsWith(sentence.lang)) || null;
    synth.speak(sentence);
  }
}
