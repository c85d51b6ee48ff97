// A suit's cards as they lie.

import { h } from "./dom.js";
import { card, tilt } from "./card.js";

/** The cards as they lie, and the places that are still empty up to the cut. */
export function pile(stack, last) {
  const places = Math.max(stack.cut_at, stack.count);
  return h(
    "div",
    { class: "pile", style: { "--gaps": places - 1, "--places": places } },
    Array.from({ length: places }, (_, i) => {
      const id = stack.cards[i];
      if (!id)
        return h(
          "span",
          { key: `empty${i}`, class: `slot${i === stack.cut_at - 1 ? " cut" : ""}`, style: { "--i": i } },
          "",
        );
      return card(id, {
        key: id,
        "data-fly": id,
        class: `laid${id === last ? " last" : ""}`,
        style: { "--i": i, "--tilt": `${tilt(id) * 1.6}deg` },
      });
    }),
  );
}
