// The pages work without this script. It records that a person opened the page, and offers to share and print it.
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

// Openings of a preview are not recorded, so its address must not reach a buyer. Language links keep the parameter. The
// entry in the browser's history keeps it for a reload, a restored tab and "back".
const address = new URL(location.href);
if (address.searchParams.has("preview")) {
  address.searchParams.delete("preview");
  history.replaceState({ isPreview: true }, "", address);
  // A link within the page, such as the one to its content, makes a new entry.
  window.addEventListener("hashchange", () => history.replaceState({ isPreview: true }, ""));
} else if (history.state?.isPreview) {
  address.searchParams.set("preview", "1");
  location.replace(address);
} else if (opened !== undefined) {
  document.addEventListener("visibilitychange", recordOpening);
  document.addEventListener("prerenderingchange", recordOpening);
  recordOpening();
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}

const copiedStatus = document.querySelector("[data-copied]");

// Shares the certificate's own address in the language of the page; without a dialog for sharing, copies it. If the
// browser refuses that too, shows it.
async function share() {
  const url = new URL(document.querySelector("link[rel=canonical]").href);
  url.searchParams.set("lang", document.documentElement.lang);
  try {
    if (navigator.share === undefined) await copy(url.href);
    else await navigator.share({ title: document.title, url: url.href });
  } catch (error) {
    // The visitor closed the dialog, unless the browser refused to open it or to copy.
    if (error.name !== "AbortError") await copy(url.href).catch(() => showStatus(url.href));
  }
}

async function copy(text) {
  await navigator.clipboard.writeText(text);
  showStatus(copiedStatus.dataset.copied);
}

function showStatus(text) {
  copiedStatus.textContent = text;
}

for (const button of document.querySelectorAll("[data-share]")) {
  // Without HTTPS, browsers offer neither.
  button.hidden = navigator.share === undefined && navigator.clipboard === undefined;
  button.addEventListener("click", share);
}

// Moves the focus to the list of mistakes, so that screen readers announce it.
document.querySelector("[data-mistakes]")?.focus();
