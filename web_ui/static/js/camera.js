// The camera's picture with what is recognised drawn on it, fetched anew while somebody looks.

import { h } from "./dom.js";
import { clock, data, t } from "./page.js";

const EVERY_MS = 400;
let timer = 0;
let url = null;

export function cameraTab(view) {
  const camera = view.camera || { status: "none", text: "" };
  return [
    h("p", { class: `camera-state ${camera.status}`, key: "state" }, h("i", { "aria-hidden": "true" }), camera.text || t(`camera_${camera.status}`)),
    data.camera
      ? h("div", { class: "camera", key: "picture" }, h("img", { id: "camera", alt: t("camera_view"), src: url }), !url && h("p", { class: "hint" }, t("camera_waiting")))
      : h("p", { class: "hint", key: "none" }, t("camera_off")),
    notices(view),
  ];
}

const notices = (view) => h("ul", { class: "notices", key: "notices" }, (view.notices || []).filter((notice) => notice.source === "camera").slice(-5).reverse().map((notice) => h("li", { key: notice.seq }, h("time", {}, clock(notice.at)), h("span", {}, notice.text))));

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
