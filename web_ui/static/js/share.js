// Hands the evening's picture to whatever the phone sends pictures with; where nothing does, it can be saved.

const button = document.querySelector("[data-share]");
const name = button.dataset.share.split("/").at(-1);
const asFile = (body) => new File([body], name, { type: "image/png" });

if (navigator.canShare?.({ files: [asFile("")] })) button.hidden = false;

button.addEventListener("click", async () => {
  const answer = await fetch(button.dataset.share);
  if (!answer.ok) return;
  const files = [asFile(await answer.blob())];
  await navigator.share({ files, title: document.title }).catch((error) => {
    if (error.name !== "AbortError") throw error;
  });
});
