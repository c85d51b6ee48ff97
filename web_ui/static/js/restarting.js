// While the table restarts: waits until another start of it answers, however long that takes, and goes on to the house.

const EVERY_MS = 1500;
const { boot } = document.getElementById("restarting").dataset;

async function look() {
  const answer = await fetch("/readyz", { cache: "no-store" }).catch(() => null);
  const now = answer?.ok ? (await answer.json().catch(() => null))?.boot : null;
  if (now && now !== boot) location.replace("/dealer/house");
  else setTimeout(look, EVERY_MS);
}

look();
