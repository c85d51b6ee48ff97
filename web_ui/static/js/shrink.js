// A table on the room's screen is drawn as small as it takes to be seen whole.

const SCALES = [1, 0.9, 0.8, 0.7, 0.6, 0.5];

/** Draw what lies in an element of the room's page smaller until it fits; a page that scrolls leaves it as it is. */
export function shrink(selector) {
  const element = document.querySelector(selector);
  if (!element) return;
  const scrolls = getComputedStyle(document.body).overflowY !== "hidden";
  for (const scale of SCALES) {
    for (const child of element.children) child.style.zoom = scale;
    if (scrolls || element.scrollHeight <= element.clientHeight + 1) return;
  }
}
