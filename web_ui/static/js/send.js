// Commands to the table. Each carries a key of its own: sending it again, because the answer got lost, plays it once.

import { data, t } from "./page.js";

const PATIENCE_MS = 6000;
const PAUSES_MS = [400, 1000, 2500];

/** A refusal: `code` for us, `message` for people. */
export class Refused extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Return a key for one thing that somebody did. (crypto.randomUUID wants https, which a living room has not.) */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

let unheard = new Map(); // the keys of what nobody heard of, since the page was told of the table
document.addEventListener("view", () => (unheard = new Map()));

/**
 * Send a command as this viewer and return {seq, events}; throws Refused, also where something has come in between:
 * `after` is the journal's entry up to which the page shows the table, if that matters.
 *
 * Whoever asks for the same again after one that is unheard, with the table still before them as it was, means the same
 * command: it keeps its key.
 */
export async function command(viewer, record, after = null) {
  const [what, here] = [JSON.stringify([viewer, record]), unheard];
  const key = here.get(what) ?? newKey();
  const headers = {
    "Idempotency-Key": key,
    "Table-Session": data.view.session, // what was meant for one game must not count in the next
    ...(after !== null && { "Table-Seq": after }),
  };
  here.delete(what);
  try {
    return await post(`/api/v1/commands?as=${encodeURIComponent(viewer)}`, record, headers);
  } catch (error) {
    if (isUnheard(error)) here.set(what, key);
    throw error;
  }
}

/** Whether nobody has heard what became of a command: it may have been played, and only its answer lost, or late. */
export const isUnheard = ({ code }) => code === "no-network" || code === "no-answer";

/** Answer a question as it was seen. */
export const answer = (question, { id, mark }) =>
  post("/api/v1/answers?as=dealer", { question, choice: id, mark }, {}, 0);

/**
 * Post JSON; tries again while the network is away. The document hears "done" of each success: `detail` is when it was
 * sent (performance.now()).
 */
export async function post(url, body, headers = {}, retries = PAUSES_MS.length, patience = PATIENCE_MS) {
  const began = performance.now();
  for (let i = 0; ; i++) {
    try {
      const result = await once(url, body, headers, patience);
      document.dispatchEvent(new CustomEvent("done", { detail: began }));
      return result;
    } catch (error) {
      if (error instanceof Refused) throw error;
      if (i >= retries) throw new Refused("no-network", t("no_network"));
      await new Promise((done) => setTimeout(done, PAUSES_MS[i]));
    }
  }
}

/** Whether it was not the table that refused, but what stands before it: too much to do, or a proxy. */
const isOnTheWay = ({ code }) => code === undefined || code === "busy";

async function once(url, body, headers, patience) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), patience);
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": data.csrf, ...headers },
      body: JSON.stringify(body),
      signal: stop.signal,
    });
    if (answer.ok) return await answer.json();
    const problem = await answer.json().catch(() => ({}));
    if (answer.status > 500 && isOnTheWay(problem)) throw new Error("busy"); // the same again, under the same key
    throw new Refused(problem.code || "error", problem.message || t("went_wrong"));
  } finally {
    clearTimeout(timer);
  }
}
