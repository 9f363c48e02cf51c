// The pages work without this script. It records that a person opened the page, and offers to print it.
const { opened } = document.body.dataset;

function isSeen() {
  return document.visibilityState === "visible" && !document.prerendering;
}

function recordOpening() {
  if (!isSeen()) return;
  document.removeEventListener("visibilitychange", recordOpening);
  document.removeEventListener("prerenderingchange", recordOpening);
  fetch(opened, { method: "POST", keepalive: true }).catch(() => undefined);
}

if (opened !== undefined) {
  document.addEventListener("visibilitychange", recordOpening);
  document.addEventListener("prerenderingchange", recordOpening);
  recordOpening();
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}

// Moves the focus to the list of mistakes, so that screen readers announce it.
document.querySelector("[data-mistakes]")?.focus();
