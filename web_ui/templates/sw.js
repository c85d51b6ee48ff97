// Without a network there is one page, which says so. Nothing of the table is ever kept: an old one would be believed.
const VERSION = {{ version|safe }};
const KEPT = {{ kept|safe }};

// A network that hangs is none: whoever waits for the table is told.
const PATIENCE_MS = 6000;
const soon = (answer) => Promise.race([answer, new Promise((_, refuse) => setTimeout(refuse, PATIENCE_MS))]);

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(KEPT.map((where) => new Request(where, { cache: "reload" })))).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name !== VERSION).map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(soon(fetch(request)).catch(() => caches.match("/offline")));
  else if (KEPT.includes(new URL(request.url).pathname)) event.respondWith(caches.match(request).then((kept) => kept || fetch(request)));
});
