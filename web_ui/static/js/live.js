// The table as it is now. An event at least every two seconds, or the page says that it is not live.

const STALE_MS = 6000;
const CHECK_MS = 500;
const AGAIN_MS = [250, 500, 1000, 2000];

/**
 * Follow the table.
 * @param {string} viewer room, dealer or seat/N
 * @param {{onView: function, onState: function, onGoodbye?: function}} tell onView(view), onState(live, lastHeard: ms)
 */
export function follow(viewer, { onView, onState, onGoodbye }) {
  let source = null;
  let heard = Date.now();
  let live = null;
  let tries = 0;
  let timer = 0;
  let opened = 0;

  const setLive = (now) => {
    if (live !== now) {
      live = now;
      onState(live, heard);
    }
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
    const where = document.documentElement.dataset.stream;
    source = new EventSource(where ?? `/api/v1/stream?as=${encodeURIComponent(viewer)}`);
    source.addEventListener("view", (event) => {
      onView(JSON.parse(event.data));
      document.dispatchEvent(new CustomEvent("view")); // see send.js
      hear();
    });
    source.addEventListener("heartbeat", hear);
    source.addEventListener("goodbye", () => {
      source.close();
      (onGoodbye || (() => location.reload()))();
    });
    source.onerror = again;
  };
  // The browser's own reconnecting gives up after some errors: this one never does.
  const again = () => {
    source.close();
    if (!timer) timer = setTimeout(open, AGAIN_MS[Math.min(tries++, AGAIN_MS.length - 1)]);
    if (tries === 4 && viewer !== "room") checkRights();
  };
  const checkRights = async () => {
    const answer = await fetch(`/api/v1/state?as=${encodeURIComponent(viewer)}`).catch(() => null);
    if (answer && answer.status === 401) (onGoodbye || (() => location.reload()))();
  };
  const check = () => {
    if (Date.now() - heard <= STALE_MS) return;
    setLive(false);
    // A connection that hangs, connected or not, gets as long as silence does.
    if (!timer && Date.now() - opened > STALE_MS) again();
  };
  // A phone that slept: look at the clock at once, not at the next tick.
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
