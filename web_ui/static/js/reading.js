// The journal is being read: ask again until the page is there.
setTimeout(() => location.reload(), 1000);
