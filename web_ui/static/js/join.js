// The seat's QR brings the code behind the #, where no log and no link preview sees it.

const form = document.getElementById("join");

function useCode() {
  const code = decodeURIComponent(location.hash.slice(1));
  if (!code) return;
  history.replaceState(null, "", location.pathname);
  form.elements.code.value = code;
  form.requestSubmit();
}

addEventListener("hashchange", useCode);
useCode();
