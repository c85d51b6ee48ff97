// The table's own sentences in the page's language; see web_ui/phrases.py, which does the same for pages and voice.
// A phrase is an English sentence with slots; a sentence that no phrase fits stays English.

import { data, has, t } from "./page.js";

const SUITS = ["Mages", "Realm", "World", "Valor", "Kin", "Commons"];
const SUIT = SUITS.join("|");
const CARD = `(?:${SUIT}) (?:day|night) \\d`;
const SLOTS = {
  card: CARD,
  cards: `${CARD}(?:, ${CARD})*(?: and ${CARD})?`,
  suit: SUIT,
  half: "day|night",
  n: "[+−-]?\\d[\\d.,]*",
  face: "[1-4][dn]",
  said: "[^]+",
  player: "[^:;,.!?]{1,40}?",
};
const SLOT = /\{([a-z_]+?)(\d*)\}/g;
const DEEPEST = 4;
const MOST_KNOWN = 2000;
const known = new Map();
let book = null;

/** Return a sentence of the table in the page's language. */
export function say(text) {
  if (!text || !data.phrases) return text;
  if (known.size > MOST_KNOWN) known.clear();
  if (!known.has(text)) known.set(text, said(text, 0));
  return known.get(text);
}

function said(text, depth) {
  for (const { pattern, names, translation } of phrases()) {
    const found = pattern.exec(text);
    if (!found) continue;
    const values = Object.fromEntries(names.map((name, i) => [name, value(name, found[i + 1], depth)]));
    return translation.replace(SLOT, (_, kind, number) => values[kind + number]);
  }
  return text;
}

function value(name, found, depth) {
  const kind = name.replace(/\d+$/, "");
  if (kind === "said") return depth < DEEPEST ? said(found, depth + 1) : found;
  if (kind === "suit") return t(`suit_${SUITS.indexOf(found) + 2}`);
  if (kind === "half") return t(found);
  if (kind === "card") return card(found);
  if (kind === "cards") return found.replace(new RegExp(CARD, "g"), card).replace(" and ", ` ${t("and")} `);
  return found;
}

function card(words) {
  const [suit, half, number] = words.split(" ");
  return t("card_name", { suit: t(`suit_${SUITS.indexOf(suit) + 2}`), half: t(half), number });
}

function phrases() {
  if (book) return book;
  const own = (english) => english.replace(SLOT, "").length;
  const listed = Object.entries(data.phrases).sort(([a], [b]) => own(b) - own(a));
  book = listed.map(([english, translation]) => ({
    pattern: pattern(english),
    names: [...english.matchAll(SLOT)].map(([, kind, number]) => kind + number),
    translation,
  }));
  return book;
}

function pattern(english) {
  const source = english.split(/(\{[a-z_]+\d*\})/).map((part) => {
    const slot = /^\{([a-z_]+?)\d*\}$/.exec(part);
    return slot ? `(${SLOTS[slot[1]] || "[^]+?"})` : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${source.join("")}$`, "u");
}

/** Put the sentences of a view into the page's language; what is no sentence stays. Returns the view. */
export function translated(view) {
  if (!data.phrases || !view) return view;
  for (const key of ["prompt", "trouble", "practice", "hold", "undo", "redo"])
    if (typeof view[key] === "string") view[key] = say(view[key]);
  for (const line of view.log || []) line.text = say(line.text);
  for (const notice of view.notices || []) notice.text = say(notice.text);
  for (const payment of view.payments || []) [payment.reason, payment.why] = [payment.why, say(payment.why)];
  for (const question of view.questions || []) {
    question.text = say(question.text);
    for (const choice of question.choices) choice.label = say(choice.label);
  }
  for (const verb in view.reasons || {}) view.reasons[verb] = say(view.reasons[verb]);
  for (const stack of view.stacks || [])
    if (stack.name && has(`suit_${stack.suit}`)) stack.name = t(`suit_${stack.suit}`);
  if (view.camera?.text) view.camera.text = say(view.camera.text);
  return view;
}
