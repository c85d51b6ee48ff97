// While the program is updated at the machine: asks which release runs, and shows what came of it once the table has
// started again.

const EVERY_MS = 3000;
const place = document.getElementById("watch");

async function look() {
  const answer = await fetch("/dealer/house/update/mark", { cache: "no-store" }).catch(() => null);
  const mark = answer?.ok ? await answer.text() : null;
  if (mark !== null && mark !== place.dataset.mark)
    location.assign(`/dealer/house/update?from=${encodeURIComponent(place.dataset.mark)}`);
  place.querySelector("p").textContent = answer === null ? place.dataset.away : place.dataset.waits;
  setTimeout(look, EVERY_MS);
}

setTimeout(look, EVERY_MS);
