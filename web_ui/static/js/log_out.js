// Logging out: of the dealer's page, or of a seat's phone.

import { post } from "./send.js";

/**
 * Log out at an address, and go to the table; throws Refused. A goodbye that comes before the answer would load the
 * page anew, which asks for a PIN or a code: it only does once it is clear that this page stays.
 */
export async function logOutAt(url) {
  let isOver = false;
  const wait = (event) => ((isOver = true), event.preventDefault()); // see live.js
  const listen = () => document.removeEventListener("goodbye", wait);
  document.addEventListener("goodbye", wait);
  window.addEventListener("pagehide", listen, { once: true });
  try {
    await post(url, {});
    location.href = "/";
  } catch (error) {
    listen();
    if (isOver) location.reload();
    throw error;
  }
}
