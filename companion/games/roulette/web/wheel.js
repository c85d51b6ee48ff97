// The wheel, to tell where the ball rests: every pocket as it lies on the rim.

import { h } from "../../js/dom.js";
import { data, t } from "../../js/page.js";
import { colorOf, pocketName } from "./spots.js";

const OUTER = 170;
const INNER = 144;

/**
 * The wheel.
 * @param {{at: object, busy: boolean, onPocket: function(string), redraw: function, last: string|undefined}} use
 *   `at.pocket` is the one that the keyboard is on
 */
export function wheel(use) {
  const { rim } = data;
  const step = (2 * Math.PI) / rim.length;
  return h(
    "svg",
    {
      class: "wheel",
      key: "wheel",
      role: "group",
      "aria-label": t("wheel"),
      viewBox: `${-OUTER - 3} ${-OUTER - 3} ${2 * OUTER + 6} ${2 * OUTER + 6}`,
      onkeydown: (event) => turn(event, rim, use),
    },
    rim.map((pocket, i) => sector(pocket, i * step, step, use)),
    h("circle", { class: "hub", r: INNER, key: "hub" }),
    h("text", { class: "ask", key: "ask", y: -8 }, t("wheel_ask")),
    h("text", { class: "ask small", key: "keys", y: 22 }, t("wheel_tap")),
  );
}

function sector(pocket, angle, step, use) {
  const at = (radius, turnBy) =>
    [radius * Math.sin(angle + turnBy), -radius * Math.cos(angle + turnBy)].map((n) => n.toFixed(2));
  const [from, to] = [-step / 2, step / 2];
  const outside = `L${at(OUTER, from)}A${OUTER} ${OUTER} 0 0 1 ${at(OUTER, to)}`;
  const inside = `L${at(INNER, to)}A${INNER} ${INNER} 0 0 0 ${at(INNER, from)}`;
  const edge = `M${at(INNER, from)}${outside}${inside}Z`;
  const press = () => !use.busy && use.onPocket(pocket);
  const degrees = (angle * 180) / Math.PI;
  return h(
    "g",
    {
      key: pocket,
      class: `pocket ${colorOf(pocket)}`,
      role: "button",
      tabindex: pocket === (use.at.pocket ?? data.rim[0]) ? 0 : -1,
      "aria-label": pocketName(pocket),
      "aria-disabled": use.busy ? "true" : null,
      "data-pocket": pocket,
      onclick: press,
      onfocus: () => (use.at.pocket = pocket),
      onkeydown: (event) => ["Enter", " "].includes(event.key) && (event.preventDefault(), press()),
    },
    h("path", { d: edge }),
    h("text", { transform: `rotate(${degrees.toFixed(2)}) translate(0 ${-(OUTER + INNER) / 2 + 5})` }, pocket),
  );
}

const TURNS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** Go round the rim with the arrow keys. */
function turn(event, rim, use) {
  const by = TURNS[event.key];
  if (!by) return;
  event.preventDefault();
  const next = rim[(rim.indexOf(use.at.pocket ?? rim[0]) + by + rim.length) % rim.length];
  use.at.pocket = next;
  use.redraw();
  event.currentTarget.querySelector(`[data-pocket="${next}"]`)?.focus();
}
