// What the decision that is due is worth, or a hint: no part of the view, asked for by the pages that show it.

let known = { moment: null, advice: {} };

/**
 * Return what a viewer may know of the decision that is due, an empty object until it is there; then the page is drawn.
 * @param {string} viewer
 * @param {import("./types").RoomView} view
 * @param {function(): void} redraw
 */
export function adviceFor(viewer, view, redraw) {
  const moment = `${view.session}/${view.seq}`;
  if (known.moment !== moment) ask(viewer, (known = { moment, advice: {} }), redraw);
  return known.advice;
}

async function ask(viewer, asked, redraw) {
  const answer = await fetch(`/api/v1/advice?as=${encodeURIComponent(viewer)}`).catch(() => null);
  const told = answer?.ok ? await answer.json() : null;
  if (told === null || known !== asked) return; // something else is due by now
  asked.advice = told.advice;
  redraw();
}
