// The table as it is now. An event every two seconds, or it is not live.

const STALE_MS = 6000;
const CHECK_MS = 500;
const AGAIN_MS = [250, 500, 1000, 2000];
let ahead = 0;
let isLeaving = false;

/** The table's time; the device's may be wrong. */
export const now = () => Date.now() + ahead;

/** Load the page anew once the table answers: in a network that is away just then a browser's error page would stay. */
export async function loadAnew() {
  if (isLeaving) return;
  isLeaving = true;
  while (!(await fetch("/healthz", { cache: "no-store" }).catch(() => null)))
    await new Promise((done) => setTimeout(done, AGAIN_MS.at(-1)));
  location.reload();
}

/**
 * Follow the table.
 * @param {string} viewer room, dealer or seat/N
 * @param {{onView: function, onState: function}} tell onView(view), onState(live, lastHeard: ms)
 */
export function follow(viewer, { onView, onState }) {
  let source;
  let heard = Date.now();
  let live;
  let tries = 0;
  let timer = 0;
  let opened = 0;

  const setLive = (is) => {
    if (live !== is) onState((live = is), heard);
  };
  const hear = () => {
    heard = Date.now();
    tries = 0;
    setLive(true);
  };
  const open = () => {
    clearTimeout(timer);
    timer = 0;
    source?.close();
    opened = Date.now();
    const where = `/api/v1/stream?as=${encodeURIComponent(viewer)}`;
    source = new EventSource(document.documentElement.dataset.stream ?? where);
    source.addEventListener("view", (event) => {
      onView(JSON.parse(event.data));
      document.dispatchEvent(new CustomEvent("view")); // see send.js
      hear();
    });
    source.addEventListener("heartbeat", (event) => {
      ahead = Date.parse(JSON.parse(event.data).at) - Date.now();
      hear();
    });
    source.addEventListener("goodbye", () => (source.close(), end()));
    source.onerror = again;
  };
  // The browser's own reconnecting gives up: this one never does.
  const again = () => {
    source.close();
    if (!timer) timer = setTimeout(open, AGAIN_MS[tries++] ?? AGAIN_MS.at(-1));
    if (tries === 4 && viewer !== "room") checkRights();
  };
  const checkRights = async () => {
    const answer = await fetch(`/api/v1/state?as=${encodeURIComponent(viewer)}`).catch(() => null);
    if (answer?.status === 401) end();
  };
  const end = () => document.dispatchEvent(new Event("goodbye", { cancelable: true })) && loadAnew();
  const check = () => {
    if (Date.now() - heard <= STALE_MS) return;
    setLive(false);
    // A connection that hangs gets as long as silence does.
    if (!timer && Date.now() - opened > STALE_MS) again();
  };
  // A phone that slept looks at once, not at the next tick.
  const wake = () => {
    if (document.visibilityState !== "visible" || Date.now() - heard < 3000) return;
    check();
    tries = 0;
    open();
  };

  setInterval(check, CHECK_MS);
  document.addEventListener("visibilitychange", wake);
  window.addEventListener("online", wake);
  window.addEventListener("pageshow", (event) => event.persisted && open());
  window.addEventListener("pagehide", () => source.close());
  open();
}
