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

// Openings of a preview are not recorded, so its address must not reach a buyer. Language links keep the parameter.
const address = new URL(location.href);
if (address.searchParams.has("preview")) {
  address.searchParams.delete("preview");
  history.replaceState(history.state, "", address);
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}

// Moves the focus to the list of mistakes, so that screen readers announce it.
document.querySelector("[data-mistakes]")?.focus();
