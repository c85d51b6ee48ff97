// The history shows itself anew when another game begins at the table.

import { follow } from "./live.js";

const shown = Number(document.querySelector("[data-session]").dataset.session);

follow("room", {
  onView: (view) => view.session !== shown && location.reload(),
  onState() {},
});
