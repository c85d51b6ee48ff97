// The choices of King of Roulette, as a phone makes them for its player and the dealer's page for players without one.

import { h, unbroken } from "../../js/dom.js";
import { number, t } from "../../js/page.js";
import { command, Refused } from "../../js/send.js";

export const RIGGED = [1, 2, 3, 4, 5, 6];

/** What somebody is choosing and has not sealed yet. */
export const newDraft = () => ({ text: "", one: [], two: null, range: null, space: null, doubles: false });

export const spaceName = (space) => (space === "king" ? t("space_king") : String(space));

/** A row of buttons of which some are pressed. */
export const pick = (name, label, options, isOn, choose) =>
  h(
    "fieldset",
    { class: `pick pick-${name}`, key: name },
    h("legend", {}, label),
    h(
      "div",
      { class: "row" },
      options.map(({ value, text, more }) =>
        h(
          "button",
          { type: "button", key: String(value), "aria-pressed": String(isOn(value)), onclick: () => choose(value) },
          text,
          more && h("small", {}, more),
        ),
      ),
    ),
  );

const asOptions = (spaces) => spaces.map((space) => ({ value: space, text: spaceName(space) }));

/** The sentence that says what the spaces say, for a king who writes none. */
const ready = (draft) => draft.one.length === 2 && draft.two !== null && draft.range !== null;
export const ruleSentence = ({ one, two }) => t("rule_sentence", { a: one[0], b: one[1], c: two });
/** What is kept of a rule without words of the king's own; the table says it to everybody in their language. */
export const plainRule = ({ one, two }) =>
  `Spaces ${one[0]} and ${one[1]} earn 1 point and space ${two} earns 2 points.`;
export const sentenceOf = (draft) => (draft.one.length === 2 && draft.two !== null ? ruleSentence(draft) : "");

function toggleOne(draft, space) {
  if (draft.one.includes(space)) draft.one = draft.one.filter((one) => one !== space);
  else draft.one = [...draft.one, space].slice(-2).sort();
  if (draft.two === space) draft.two = null;
}

function setTwo(draft, space) {
  draft.two = space;
  draft.one = draft.one.filter((one) => one !== space);
}

/** The king's rule and guess. `seal(records)` gives them to the table. */
export function kingForm(view, draft, { redraw, seal, bonus = null, busy = false }) {
  const changed = (change) => (value) => (change(draft, value), redraw());
  const send = () =>
    seal([
      { do: "rule", text: draft.text.trim() || plainRule(draft), one: draft.one, two: draft.two },
      { do: "guess", range: draft.range },
    ]);
  const ranges = view.ranges.map(({ range, points }) => ({
    value: range,
    text: unbroken(range),
    more: t("points_n", { count: points }),
  }));
  return h(
    "section",
    { class: "panel king-form", key: "king" },
    h("h2", {}, t("rig_title")),
    pick("one", t("pick_one"), asOptions(RIGGED), (space) => draft.one.includes(space), changed(toggleOne)),
    pick("two", t("pick_two"), asOptions(RIGGED), (space) => draft.two === space, changed(setTwo)),
    h(
      "label",
      { class: "sentence", key: "text" },
      t("rule_text"),
      h("input", {
        name: "text",
        value: draft.text,
        maxlength: 200,
        autocomplete: "off",
        placeholder: sentenceOf(draft),
        oninput: (event) => (draft.text = event.target.value),
      }),
    ),
    pick(
      "range",
      t("pick_range"),
      ranges,
      (range) => draft.range === range,
      changed((d, range) => (d.range = range)),
    ),
    bonus,
    sealButton(ready(draft) && !busy, send, view.ready.rule && view.ready.guess),
  );
}

/** A bet on a space. */
export function betForm(
  view,
  draft,
  { redraw, seal, bonus = null, busy = false, again = false, title = t("bet_title") },
) {
  const choose = (space) => ((draft.space = space), redraw());
  return h(
    "section",
    { class: "panel bet-form", key: "bet" },
    h("h2", {}, title),
    pick("space", t("pick_space"), asOptions(view.spaces), (space) => draft.space === space, choose),
    bonus,
    sealButton(draft.space !== null && !busy, () => seal([{ do: "bet", space: draft.space }]), again),
  );
}

/**
 * The commands with which choices are sealed. Whether a bonus is among them nobody can tell from how many there are:
 * without it the last choice is given twice. Each but the first says that it follows, so that one undo takes back all.
 */
export const covered = (records, doubles) => {
  const all = [...records, doubles ? { do: "use-bonus" } : records.at(-1)];
  return all.map((record, i) => (i > 0 ? { ...record, follows: true } : record));
};

export const bonusBox = (draft, redraw) =>
  h(
    "label",
    { class: "bonus-box", key: "bonus" },
    h("input", {
      type: "checkbox",
      name: "doubles",
      checked: draft.doubles,
      onchange: (event) => ((draft.doubles = event.target.checked), redraw()),
    }),
    t("use_bonus"),
  );

const MOST_TRIES = 4;

/**
 * Give what somebody has sealed to the table, for the round of the view that they looked at: in the next it would be
 * another bet, or use a bonus up. What others seal meanwhile changes nothing; after anything else it is given again if
 * the round is still on; a vote is not: the next ballot looks like the one before. Throws `Refused`.
 */
export async function give(viewer, records, { seq, round, phase }) {
  let seen = seq;
  for (const record of records)
    for (let tries = 1; ; tries++) {
      try {
        await command(viewer, record, seen);
        break;
      } catch (error) {
        if (error.code !== "nothing-done" || tries === MOST_TRIES || phase === "vote") throw error;
        const now = await look(viewer).catch(() => null);
        if (now?.round === round && now.phase === phase) seen = now.seq;
        else throw now?.revealed?.round === round ? tooLate(record, error) : error;
      }
    }
}

/** Why something came too late for a round that is revealed: what was sealed with a bonus counted, only not the bonus. */
const tooLate = (record, error) => (record.do === "use-bonus" ? new Refused(error.code, t("bonus_late")) : error);

const look = async (viewer) => (await fetch(`/api/v1/state?as=${encodeURIComponent(viewer)}`)).json();

const sealButton = (can, send, again) =>
  h(
    "button",
    {
      type: "button",
      class: "primary seal",
      key: "seal",
      "aria-disabled": can ? null : "true",
      onclick: () => can && send(),
    },
    t(again ? "seal_again" : "seal"),
  );

/** Players to choose from, as buttons; `off`: none can be chosen yet. */
export const choosePlayer = (key, label, names, choose, off = false) =>
  h(
    "section",
    { class: "panel choose-player", key },
    h("h2", {}, label),
    h(
      "div",
      { class: "row" },
      names.map((name) =>
        h(
          "button",
          { type: "button", key: name, "aria-disabled": off ? "true" : null, onclick: () => off || choose(name) },
          name,
        ),
      ),
    ),
  );

/** Points, bonuses and the crown, for everybody. */
export const scores = (view) =>
  h(
    "section",
    { class: "panel scores", key: "scores" },
    h("h2", {}, t("scores")),
    h(
      "ul",
      { class: "plain-list" },
      Object.entries(view.points).map(([name, points]) =>
        h(
          "li",
          { key: name },
          h("span", { class: "who" }, name, name === view.king && h("i", { class: "crown", title: t("king") }, "♛")),
          view.bonuses[name] > 0 && h("small", {}, t("bonuses_n", { count: view.bonuses[name] })),
          h("b", {}, number(points)),
        ),
      ),
    ),
  );
