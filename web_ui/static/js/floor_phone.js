// A phone asks to be told of the pit's alarms while nobody looks at the page.

const form = document.querySelector("[data-phone]");
const said = document.getElementById("phone-said");
const less = form.querySelector("[data-tell-no-more]");
const can = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

const say = (text) => {
  said.textContent = text;
};

async function post(where, values) {
  const body = new URLSearchParams({ token: form.elements.token.value, ...values });
  const answer = await fetch(where, { method: "POST", body, redirect: "error" });
  if (!answer.ok) throw new Error(answer.statusText);
}

async function known() {
  const worker = await navigator.serviceWorker.getRegistration();
  return worker ? worker.pushManager.getSubscription() : null;
}

async function begin() {
  if ((await Notification.requestPermission()) !== "granted") {
    return say(form.dataset.denied);
  }
  await navigator.serviceWorker.register("/sw.js");
  const worker = await navigator.serviceWorker.ready;
  const before = await worker.pushManager.getSubscription();
  if (before) await before.unsubscribe(); // it may be another floor's
  const key = form.dataset.key;
  const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  await post(form.action, { subscription: JSON.stringify(made.toJSON()) });
  less.hidden = false;
  say(form.dataset.told);
}

async function end() {
  const mine = await known();
  if (mine) {
    await post(form.dataset.end, { endpoint: mine.endpoint });
    await mine.unsubscribe();
  }
  less.hidden = true;
  say(form.dataset.notTold);
}

const tried = (what) => (event) => {
  event.preventDefault();
  what().catch((error) => say(`${form.dataset.failed} (${error.message})`));
};

if (can) {
  known().then((mine) => {
    less.hidden = !mine;
  });
  form.addEventListener("submit", tried(begin));
  less.addEventListener("click", tried(end));
} else {
  form.hidden = true;
  say(form.dataset.cannot);
}
