// The settings work without this script. It shows local times, copies secrets, prints, checks the webhook URL while it
// is typed, and sends the form with which the storefront platform signs a merchant in.

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

document.querySelector("form[data-send]")?.submit();
document.querySelector("[data-mistakes]")?.focus();
