// A phone asks to be told when it is its player's turn, and what he has won, while nobody looks at it.

import { t } from "./page.js";
import { post } from "./send.js";
import { toast } from "./shell.js";

/** Ask the phone's owner, then the browser, then the table. A second time it turns it off. */
export async function ask(seat, key) {
  try {
    const worker = await navigator.serviceWorker.ready;
    const known = await worker.pushManager.getSubscription();
    if (known && localStorage.getItem("push") === String(seat)) return await end(seat, known);
    if ((await Notification.requestPermission()) !== "granted") return toast(t("push_denied"), "error");
    // A browser that knows another table's key has to forget it first.
    if (known && !isSame(known.options.applicationServerKey, key)) await known.unsubscribe();
    const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    const { endpoint, keys } = made.toJSON();
    await post(`/seat/${seat}/push`, { endpoint, public: keys.p256dh, secret: keys.auth });
    localStorage.setItem("push", String(seat));
    toast(t("push_on"));
  } catch (error) {
    toast(error.code ? error.message : t("push_failed"), "error");
  }
}

async function end(seat, known) {
  await post(`/seat/${seat}/push/end`, { endpoint: known.endpoint });
  await known.unsubscribe();
  localStorage.removeItem("push");
  toast(t("push_off"));
}

const isSame = (own, key) => {
  const letters = btoa(String.fromCharCode(...new Uint8Array(own)));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") === key;
};
