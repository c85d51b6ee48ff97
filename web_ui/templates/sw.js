// Without a network there is one page, which says so. Nothing of the table is ever kept: an old one would be believed.
const VERSION = {{ version|safe }};
const KEPT = {{ kept|safe }};
const ICON = {{ icon|safe }};

// A network that hangs is none: whoever waits for the table is told.
const PATIENCE_MS = 6000;
const soon = (answer) => Promise.race([answer, new Promise((_, refuse) => setTimeout(refuse, PATIENCE_MS))]);

self.addEventListener("install", (event) => {
  const fresh = KEPT.map((where) => new Request(where, { cache: "reload" }));
  const kept = caches.open(VERSION).then((cache) => cache.addAll(fresh));
  event.waitUntil(kept.then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name !== VERSION);
  const swept = caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name))));
  event.waitUntil(swept.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const isKept = KEPT.includes(new URL(request.url).pathname);
  if (request.mode === "navigate") event.respondWith(soon(fetch(request)).catch(() => caches.match("/offline")));
  else if (isKept) event.respondWith(caches.match(request).then((kept) => kept || fetch(request)));
});

// What the table tells a phone that nobody looks at. A page of ours that is being looked at shows the same itself.
const own = () => self.clients.matchAll({ type: "window", includeUncontrolled: true });

self.addEventListener("push", (event) => {
  const { title, body, url, tag } = event.data.json();
  const told = { body, tag, data: url, icon: ICON, renotify: true, vibrate: [120, 60, 120] };
  const isSeen = (pages) => pages.some((page) => page.visibilityState === "visible");
  event.waitUntil(own().then((pages) => isSeen(pages) || self.registration.showNotification(title, told)));
});

self.addEventListener("notificationclick", (event) => {
  const url = event.notification.data;
  event.notification.close();
  const open = (pages) => {
    const shown = pages.find((page) => new URL(page.url).pathname === url);
    return shown ? shown.focus() : self.clients.openWindow(url);
  };
  event.waitUntil(own().then(open));
});
