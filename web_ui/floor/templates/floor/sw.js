// Shows push notifications unless a page of the pit is visible, which shows the alarm itself.
const own = () => self.clients.matchAll({ type: "window", includeUncontrolled: true });

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  const { title, body, url, tag } = event.data.json();
  const options = { body, tag, data: url, icon: "{{ asset('icons/icon-192.png') }}", renotify: true, vibrate: [120, 60, 120] };
  const isSeen = (pages) => pages.some((page) => page.visibilityState === "visible");
  event.waitUntil(own().then((pages) => isSeen(pages) || self.registration.showNotification(title, options)));
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
