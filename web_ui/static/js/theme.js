// Runs before the first paint. The table view is dark unless somebody chose otherwise; other pages follow the device.
(() => {
  const root = document.documentElement;
  let chosen = null;
  try {
    chosen = localStorage.getItem("theme");
  } catch {
    // no storage: the device decides
  }
  const dark = () =>
    chosen ? chosen === "dark" : root.dataset.dark === "always" || matchMedia("(prefers-color-scheme: dark)").matches;
  const apply = () => (root.dataset.theme = dark() ? "dark" : "light");
  apply();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-button]")) return;
    chosen = dark() ? "light" : "dark";
    try {
      localStorage.setItem("theme", chosen);
    } catch {
      // holds for this page only
    }
    apply();
  });
  document.addEventListener("change", (event) => {
    if (!event.target.matches("[data-language]")) return;
    document.cookie = `language=${event.target.value}; path=/; max-age=31536000; samesite=lax`;
    location.reload();
  });
})();
