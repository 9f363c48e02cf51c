// The settings work without this script. It shows local times, copies secrets, prints, checks the webhook URL while it
// is typed, shows progress, and sends the form with which the storefront platform signs a merchant in.

const language = document.documentElement.lang;
const localTime = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
for (const time of document.querySelectorAll("time[data-local]")) {
  time.title = time.textContent;
  time.textContent = localTime.format(new Date(time.dateTime));
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const input = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    input.select();
    await navigator.clipboard.writeText(input.value);
    button.textContent = button.dataset.copied;
  });
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}

const typingPauseMs = 400;
for (const input of document.querySelectorAll("[data-check]")) {
  const output = document.getElementById(input.dataset.output);
  let timer;
  let latest = 0;
  const check = async () => {
    const number = ++latest;
    const body = new URLSearchParams(new FormData(input.form));
    body.set("action", input.dataset.check);
    const response = await fetch(location.pathname, { method: "POST", body });
    if (!response.ok || number !== latest) return;
    const problem = await response.text();
    output.textContent = problem;
    input.setAttribute("aria-invalid", String(problem !== ""));
  };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => check().catch(() => undefined), typingPauseMs);
  });
}

// The progress of work in the background: reads the page again until it shows the result.
const liveEveryMs = 1_000;
const live = document.querySelector("[data-live]");
if (live !== null) {
  live.querySelector("[data-without-script]")?.remove();
  const update = async () => {
    const response = await fetch(location.href);
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = page.querySelector("[data-live]");
    if (next === null) {
      location.reload();
      return;
    }
    for (const part of ["h2", "progress", "dl"]) live.querySelector(part).replaceWith(next.querySelector(part));
  };
  setInterval(() => update().catch(() => undefined), liveEveryMs);
}

document.querySelector("form[data-send]")?.submit();
document.querySelector("[data-mistakes]")?.focus();
