// The table as an app. A browser allows it on https and on the machine itself; elsewhere the page works without.
if ("serviceWorker" in navigator)
  addEventListener("load", () => navigator.serviceWorker.register("/sw.js").catch(() => null));

// The page that stands in for another without a network gives way as soon as the table answers again.
if (document.documentElement.dataset.page === "offline" && location.pathname !== "/offline") {
  let isBack = false; // a second reload would break off the first, and a slow table's page would never come
  const again = () =>
    fetch("/healthz", { cache: "no-store" }).then(
      (answer) => {
        if (!answer.ok || isBack) return;
        isBack = true;
        location.reload();
      },
      () => null,
    );
  addEventListener("online", again);
  setInterval(again, 2000);
}
