// The history shows itself anew when another game begins at the table.

import { follow, loadAnew } from "./live.js";

const shown = Number(document.querySelector("[data-session]").dataset.session);

follow("room", {
  onView: (view) => view.session !== shown && loadAnew(),
  onState() {},
});
