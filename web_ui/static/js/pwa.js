// The table as an app. A browser allows it on https and on the machine itself; elsewhere the page works without.
if ("serviceWorker" in navigator) addEventListener("load", () => navigator.serviceWorker.register("/sw.js").catch(() => null));
