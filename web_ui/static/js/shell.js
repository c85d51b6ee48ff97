// The frame around every live page: header, connection, "not live" banner, short messages.

import { h, render } from "./dom.js";
import { suitEmblem, emblem } from "./card.js";
import { clock, data, named, t } from "./page.js";
import { follow, loadAnew } from "./live.js";
import { nextPill } from "./night.js";
import { typeButton, useTypeSize } from "./type_size.js";
import { sayNews, voiceButton } from "./voice.js";

const TOAST_MS = 5000;
const READ_MS = 1500; // a refusal because the round went on comes with the next phase, and is not old then
const TICK_MS = 500;
const LONG = 80; // letters: two lines on a tablet
const app = document.getElementById("app");
const toasts = [];
let current = null;
let idleLine = null;

/**
 * Run a page.
 * @param {string} viewer room, dealer or seat/N
 * @param {function(object): Array} draw returns what the page shows for {view, live}
 * @param {{onView?: function, onDraw?: function, onDrawn?: function, hasPlace?: function}} more
 *   onDraw(redraw, view, before) may draw with motion, onDrawn() follows every drawing; hasPlace() says whether the page
 *   itself draws the messages (see `messages`)
 * @returns {{view: import("./types").RoomView, live, redraw}} the page's state
 */
export function start(viewer, draw, { onView, onDraw, onDrawn, hasPlace } = {}) {
  const page = {
    view: data.view,
    live: null,
    hasPlace,
    redraw: () => (render(app, draw(page)), onDrawn?.()),
  };
  current = page;
  page.redraw();
  drawToasts();
  setInterval(() => page.view.timer && page.redraw(), TICK_MS);
  follow(viewer, {
    onView(view) {
      const before = page.view;
      // Another game has other pages, and the same game under other rules has other texts.
      if (view.game !== before.game || view.session !== before.session) return loadAnew();
      page.view = view;
      if (phaseOf(view) !== phaseOf(before)) dropRefusals(performance.now() - READ_MS);
      sayNews(view, before);
      if (onView) onView(view, before);
      if (onDraw) onDraw(page.redraw, view, before);
      else page.redraw();
      if (isPhone && toasts.length === 0) drawToasts();
    },
    onState(live, heard) {
      page.live = live;
      showStale(live, heard);
      page.redraw();
    },
  });
  return page;
}

function showStale(live, heard) {
  const banner = document.getElementById("stale");
  document.documentElement.classList.toggle("is-stale", live === false);
  banner.hidden = live !== false;
  if (live === false)
    render(banner, h("strong", {}, t("not_live", { time: clock(heard) })), h("span", {}, t("not_live_hint")));
}

/**
 * Show a message for a few seconds; `kind` is "ok" or "error". An error that is no warning disappears with the next
 * action.
 */
export function toast(text, kind = "ok", { isWarning = false } = {}) {
  const one = { text, kind, id: Math.random(), at: performance.now(), isWarning };
  toasts.push(one);
  if (toasts.length > 3) toasts.shift();
  drawToasts();
  setTimeout(() => {
    const place = toasts.indexOf(one);
    if (place >= 0) toasts.splice(place, 1);
    drawToasts();
  }, TOAST_MS);
}

/** Remove errors of earlier actions: the table has changed since. */
function dropRefusals(before) {
  const kept = toasts.filter((one) => one.kind !== "error" || one.isWarning || one.at >= before);
  if (kept.length === toasts.length) return;
  toasts.splice(0, toasts.length, ...kept);
  drawToasts();
}

document.addEventListener("done", ({ detail }) => dropRefusals(detail)); // see send.js

const toastBox = document.getElementById("toasts");
const isPhone = document.documentElement.dataset.page === "seat";
const isRoom = document.documentElement.dataset.page === "table";
if (isRoom) useTypeSize();

/** The messages, for a page with a place of its own for them; with room for only one, the latest, errors first. */
export const messages = () =>
  [...toasts]
    .sort((one, other) => (one.kind === "error") - (other.kind === "error"))
    .map((one) =>
      h("p", { key: one.id, class: `toast ${one.kind}${one.text.length > LONG ? " long" : ""}` }, one.text),
    );

// Messages are shown on an open dialog (dialog.js tells when it closes), on phones in a line at the foot.
document.addEventListener("closed", drawToasts);

function drawToasts() {
  const sheet = document.querySelector("dialog[open]");
  const host = sheet || document.body;
  if (toastBox.parentElement !== host) host.append(toastBox);
  const isOwn = !sheet && current?.hasPlace?.();
  const view = isPhone && !sheet && current?.view;
  const idle = view && idleLine?.(view, drawToasts);
  render(toastBox, isOwn ? [] : toasts.length > 0 ? messages() : idle);
  if (current?.hasPlace) current.redraw();
}

/** Have a phone's own line show what `draws(view, again)` returns, if anything, while there are no messages. */
export const whileIdle = (draws) => (idleLine = draws);

/** The header. `middle` is the page's own, `more` its own buttons beside the links. */
export function header(page, middle, links = ["/odds", "/history", "/dealer"], more = null) {
  const names = {
    "/": "nav_table",
    "/odds": "nav_odds",
    "/history": "nav_history",
    "/dealer": "nav_dealer",
    "/setup": "nav_setup",
  };
  return h(
    "header",
    { class: "bar", key: "bar" },
    h(
      "a",
      { class: "brand", href: "/", "aria-label": t("nav_table") },
      suitEmblem(2),
      h("span", {}, data.title ?? page.view.game),
    ),
    h("span", { class: "middle" }, middle, nextPill(page.view), page.view.demo_plays && takeOver()),
    page.live !== undefined && liveSign(page),
    h(
      "nav",
      { class: "nav", "aria-label": t("nav") },
      links.map((where) =>
        h("a", { href: where, "aria-current": location.pathname === where ? "page" : null }, t(names[where])),
      ),
      more,
      isRoom && typeButton(page.redraw),
      voiceButton(page.redraw),
      languages(),
      h(
        "button",
        { type: "button", class: "icon", "data-theme-button": "", "aria-label": t("theme"), title: t("theme") },
        emblem("half-night"),
      ),
    ),
  );
}

/** One press takes over the demo's deal and its first seat. */
const takeOver = () =>
  h(
    "form",
    { class: "take-over", key: "take-over", method: "post", action: "/dealer/take-over" },
    h("input", { type: "hidden", name: "csrf_token", value: data.csrf }),
    h("span", {}, t("demo_watching")),
    h("button", { type: "submit", class: "primary", title: t("demo_watching") }, t("demo_take_over")),
  );

/** The languages, each by its own name; theme.js remembers what is chosen. */
const languages = () =>
  h(
    "select",
    { class: "language", "data-language": "", "aria-label": t("language") },
    ["en", "de", "es"].map((code) =>
      h(
        "option",
        {
          key: code,
          value: code,
          selected: document.documentElement.lang === code,
          lang: code,
          "aria-label": t(`language_${code}`),
        },
        code.toUpperCase(),
      ),
    ),
  );

function liveSign({ live }) {
  const kind = live === null ? "connecting" : live ? "live" : "not_live_short";
  return h(
    "span",
    { class: `live ${live === null ? "wait" : live ? "on" : "off"}` },
    h("i", { "aria-hidden": "true" }),
    t(kind),
  );
}

/** Where the round stands: "hold" wins over the game's own phase. */
export const phaseOf = (view) => (view.hold ? "hold" : view.phase);

export const phasePill = (view) => h("span", { class: `pill phase-${phaseOf(view)}` }, named("phase", phaseOf(view)));

export const roundPill = (view) => h("span", { class: "pill mild" }, t("round", { n: view.round }));
