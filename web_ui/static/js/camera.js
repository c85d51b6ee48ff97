// The camera's picture with what is recognised drawn on it, fetched anew while somebody looks, and how well it sees.

import { h } from "./dom.js";
import { meter } from "./meter.js";
import { clock, data, decimals, has, number, t } from "./page.js";

const EVERY_MS = 400;
let timer = 0;
let url = null;

// What is good and what still does: at least (or at most) so much. A code wants 2.3 pixels a module.
const METERS = [
  { key: "px_per_mm", good: 1.6, fair: 1.2, full: 4, unit: "px/mm" },
  { key: "px_per_module", good: 2.3, fair: 2, full: 5, unit: "px" },
  { key: "edge_px", good: 2, fair: 3, full: 6, unit: "px", less: true },
  { key: "glare_percent", good: 2, fair: 6, full: 20, unit: "%", less: true },
  { key: "error_px", good: 2, fair: 4, full: 10, unit: "px", less: true },
];

export function cameraTab(view) {
  const camera = view.camera || { status: "none", text: "" };
  return [
    h(
      "p",
      { class: `camera-state ${camera.status}`, key: "state" },
      h("i", { "aria-hidden": "true" }),
      camera.text || t(`camera_${camera.status}`),
    ),
    data.camera
      ? h(
          "div",
          { class: "camera", key: "picture" },
          h("img", { id: "camera", alt: t("camera_view"), src: url }),
          !url && h("p", { class: "hint" }, t("camera_waiting")),
        )
      : h("p", { class: "hint", key: "none" }, t("camera_off")),
    sight(view.sight),
    notices(view),
  ];
}

function sight(report) {
  if (!report || Object.keys(report).length === 0) return null;
  const shown = METERS.filter(({ key }) => typeof report[key] === "number");
  return h(
    "section",
    { class: "sight", key: "sight" },
    report.calibration !== undefined &&
      h(
        "p",
        { class: "hint" },
        report.mat
          ? t("sight_mat", {
              mat: report.mat,
              how: has(`sight_from_${report.calibration}`) ? t(`sight_from_${report.calibration}`) : report.calibration,
            })
          : t("sight_no_mat"),
      ),
    h(
      "ul",
      { class: "meters" },
      shown.map((what) => one(what, report[what.key])),
    ),
    report.tokens?.length > 0 && h("p", { class: "hint" }, t("sight_tokens", { tokens: report.tokens.join(", ") })),
    report.waits && h("p", { class: "hint" }, t("sight_waits", { what: report.waits })),
    report.kind === "die" && h("p", { key: "die" }, report.text, report.die_px ? ` ${measured(report.die_px)} px` : ""),
    report.kind === "watch" && h("p", { key: "watch" }, report.text, report.shown ? ` ${report.shown}` : ""),
    report.slow && h("p", { class: "hint", key: "slow" }, report.slow),
    report.fairness && fairness(report.fairness),
  );
}

// The verdict on the die, and for whoever wants to know how often each face came (and how often it should have).
const fairness = ({ verdict, throws, faces }) =>
  h(
    "details",
    { key: "fairness", class: "fairness" },
    h("summary", {}, verdict),
    throws > 0 && h("p", { class: "hint" }, t("fair_hint")),
    throws > 0 &&
      h(
        "ul",
        { class: "meters" },
        faces.map(({ face, seen, expected }) =>
          h(
            "li",
            { key: face, class: "meter" },
            h("span", {}, face),
            h("b", {}, number(seen)),
            h("span", { class: "grade" }, `(${decimals(expected, 1)})`),
          ),
        ),
      ),
  );

/** A measured value as the page's language writes it: "2,34". */
const measured = (value) => value.toLocaleString(document.documentElement.lang || "en", { maximumFractionDigits: 2 });

function one({ key, good, fair, full, unit, less }, value) {
  const is = (limit) => (less ? value <= limit : value >= limit);
  return meter(key, is(good) ? "good" : is(fair) ? "fair" : "poor", `${measured(value)} ${unit}`, value, full);
}

const notices = (view) =>
  h(
    "ul",
    { class: "notices", key: "notices" },
    (view.notices || [])
      .filter((notice) => notice.source === "camera")
      .slice(-5)
      .reverse()
      .map((notice) => h("li", { key: notice.seq }, h("time", {}, clock(notice.at)), h("span", {}, notice.text))),
  );

// One picture at a time: the next is asked for when this one is here, so a slow network gets fewer, not a queue.
async function again() {
  clearTimeout(timer);
  const picture = document.getElementById("camera");
  if (picture && !document.hidden) await fetchPicture(picture);
  timer = setTimeout(again, EVERY_MS);
}

async function fetchPicture(picture) {
  const answer = await fetch("/dealer/camera.jpg", { cache: "no-store" }).catch(() => null);
  if (!answer?.ok) return;
  const before = url;
  url = URL.createObjectURL(await answer.blob());
  picture.src = url;
  if (before) URL.revokeObjectURL(before);
}

if (data.camera) again();
