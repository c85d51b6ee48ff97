// The dealer's page does not scroll on a laptop or a tablet that lies: what there is to do, what lies on the table and
// what is to be paid must fit. Where it does not, what matters less makes room first.

// What each makes smaller is in dealer.css.
const LEVELS = ["", "1", "1 2", "1 2 3", "1 2 3 4", "1 2 3 4 5", "1 2 3 4 5 6", "1 2 3 4 5 6 7", "1 2 3 4 5 6 7 8"];

/** Make the left column fit, now and whenever its room changes. Returns what to call after every drawing. */
export function keepLeadFitting() {
  window.addEventListener("resize", fit);
  document.addEventListener("toggle", fit, true);
  document.addEventListener("scroll", (event) => event.target.matches?.(PAY) && tellOfMore(event.target), true);
  document.fonts.ready.then(fit);
  return fit;
}

const PAY = "main.console > .work > .pay";

function fit() {
  tighten(document.querySelector(PAY));
  const lead = document.querySelector("main.console > .lead");
  if (!lead) return;
  for (const level of LEVELS) {
    lead.parentElement.dataset.fit = level;
    if (getComputedStyle(lead).overflowY === "visible" || isWhole(lead)) break;
  }
  for (const name of lead.querySelectorAll(".who")) tell(name);
}

/** Say the whole of a name that had to be shortened to whoever points at it. */
function tell(name) {
  const isCut = name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 2;
  if (isCut) name.title = name.textContent;
  else if (name.title === name.textContent) name.removeAttribute("title");
}

/** Whether the column ends where its last part does, to the pixel, as that has a border; it may stick to the end. */
const isWhole = (lead) =>
  lead.scrollHeight <= lead.clientHeight + 1 &&
  lead.lastElementChild.getBoundingClientRect().bottom <= lead.getBoundingClientRect().bottom + 0.5;

/** Let the pay sheet say what is the same in each row only once, where it would have to scroll. */
function tighten(pay) {
  if (!pay) return;
  delete pay.dataset.tight;
  if (pay.scrollHeight > pay.clientHeight + 1) pay.dataset.tight = "";
  tellOfMore(pay);
}

/** Let the last visible line fade where more lies below it. */
const tellOfMore = (pay) => pay.toggleAttribute("data-more", pay.scrollHeight > pay.clientHeight + pay.scrollTop + 1);
