// What all steps of the set-up wizard share: what is known and typed so far, asking the house, drawing anew.

import { announce } from "./dom.js";
import { renderKept } from "./focus_kept.js";
import { data } from "./page.js";
import { Refused, post } from "./send.js";

export const API = "/api/v1/setup";
const PATIENCE_MS = 40000; // a camera that is opened, a mat that is looked for

export const local = {
  step: null,
  state: null,
  form: {},
  error: null,
  busy: null,
  over: null,
  tried: null, // the step whose card or mat was just tried out: what was found before is old
  view: data.view,
};

/** Ask the house for something; `path` is behind /api/v1/setup. */
export const ask = (path, body) => post(`${API}${path}`, body, {}, 0, PATIENCE_MS);

/** What a setting is: as changed here, else as the file has it. */
export const value = (key) => (key in local.form ? local.form[key] : local.state.settings.values[key]);

/** What a step is worth: {status, why}; undefined before it was verified or skipped. */
export const verdictOf = (step) => local.state.steps.find((one) => one.step === step);

/** Change a setting on the page; `save` writes what was changed. */
export function set(key, to) {
  local.form[key] = to;
  local.error = null;
  redraw();
}

let draw = () => null;

/** Say how the page is drawn. */
export const drawWith = (how) => (draw = how);

export const redraw = () => renderKept(document.getElementById("app"), draw());

/** Do something; what goes wrong is said in the step. Returns the result, undefined if it went wrong. */
export async function act(name, doIt) {
  if (local.busy) return undefined;
  local.busy = name;
  local.error = null;
  redraw();
  try {
    return await doIt();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    local.error = error.message;
    announce(error.message);
    return undefined;
  } finally {
    local.busy = null;
    redraw();
  }
}

/** Say in the step what is wrong. */
export function complain(why) {
  local.error = why;
  announce(why);
  redraw();
}

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
