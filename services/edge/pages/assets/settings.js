// The settings work without this script. It shows local times, copies secrets, prints, checks the webhook URL while it
// is typed, shows progress, reports incomplete dates, keeps a double click from sending a form twice, and sends the form
// with which the storefront platform signs a merchant in.

const language = document.documentElement.lang;
const localTime = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const showLocalTimes = (part) => {
  for (const time of part.querySelectorAll("time[data-local]")) {
    time.title = time.textContent;
    time.textContent = localTime.format(new Date(time.dateTime));
  }
};
showLocalTimes(document);

for (const button of document.querySelectorAll("[data-copy]")) {
  const input = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    input.select();
    // Without HTTPS, browsers offer no clipboard; in other pages, the merchant may not allow its use.
    const isCopied = await navigator.clipboard?.writeText(input.value).then(
      () => true,
      () => false,
    );
    if (isCopied) button.textContent = button.dataset.copied;
    document.getElementById(`${input.id}-note`).textContent = isCopied ? "" : button.dataset.denied;
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
    // The nonce belongs to the form that the merchant will send.
    body.delete("nonce");
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

// The progress of work in the background: reads the page again until it shows the result, the page is refused (such as
// without a session), or the seconds in `data-live` have passed. A part with an id then shows the result; otherwise the
// whole page has changed, and is loaded again unless that would lose entries.
const liveEveryMs = 1_000;
// A form that is being sent would be lost as well: loading the page cancels it.
const hasUnsaved = () =>
  sentForms.size > 0 ||
  [...document.querySelectorAll("select")].some(
    // A list without a default shows its first option.
    ({ options, selectedIndex }) =>
      selectedIndex !==
      Math.max(
        0,
        [...options].findIndex((option) => option.defaultSelected),
      ),
  ) ||
  [...document.querySelectorAll("input, textarea")].some(
    (entry) => entry.value !== entry.defaultValue || entry.checked !== entry.defaultChecked,
  );
const live = document.querySelector("[data-live]");
if (live !== null) {
  const look = live.querySelector("[data-without-script]");
  if (look !== null) look.hidden = true;
  const seconds = Number(live.dataset.live) || Infinity;
  const startedAtMs = performance.now();
  const stop = () => {
    if (look !== null) look.hidden = false;
  };
  // Keeps the live region itself: screen readers announce only changes within it.
  const showResult = (result) => {
    const [region, current] = [live, result].map((part) => part.querySelector("[role=status]"));
    region.replaceChildren(...current.childNodes);
    current.remove();
    while (region.nextSibling !== null) region.nextSibling.remove();
    live.append(...result.childNodes);
    showLocalTimes(live);
  };
  // Returns whether the page still shows progress.
  const update = async () => {
    const response = await fetch(location.href);
    // Only an outage and an overload end by themselves.
    if (!response.ok && response.status !== 429 && response.status < 500) return stop();
    if (!response.ok) return true;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = page.querySelector("[data-live]");
    if (next === null) {
      const result = live.id === "" ? null : page.getElementById(live.id);
      if (result !== null) showResult(result);
      else if (hasUnsaved()) stop();
      else location.reload();
      return false;
    }
    for (const part of ["h2", "progress", "dl"]) {
      const [shown, current] = [live.querySelector(part), next.querySelector(part)];
      // Screen readers announce every replacement in a live region.
      if (shown !== null && current !== null && !shown.isEqualNode(current)) shown.replaceWith(current);
    }
    return true;
  };
  // One request at a time, so that a slow response does not make the browser send more of them.
  const updateLater = () => {
    if (performance.now() > startedAtMs + seconds * 1_000) return stop();
    setTimeout(async () => {
      if (await update().catch(() => true)) updateLater();
    }, liveEveryMs);
  };
  updateLater();
}

// The browser sends a date that is incomplete or does not exist as an empty value, as if none had been entered.
const showDateMistake = (input) => {
  const id = `${input.id}-mistake`;
  let mistake = document.getElementById(id);
  if (!input.validity.badInput) {
    if (mistake?.textContent !== input.dataset.mistake) return false;
    mistake.hidden = true;
    input.removeAttribute("aria-invalid");
    return false;
  }
  if (mistake === null) {
    mistake = Object.assign(document.createElement("p"), { id, className: "mistake" });
    input.before(mistake);
    input.setAttribute("aria-describedby", `${input.getAttribute("aria-describedby") ?? ""} ${id}`.trim());
  }
  mistake.textContent = input.dataset.mistake;
  mistake.hidden = false;
  input.setAttribute("aria-invalid", "true");
  return true;
};
// Otherwise the browser would show its own message, in its own language.
for (const input of document.querySelectorAll("[data-mistake]")) input.form.noValidate = true;
document.addEventListener("submit", (event) => {
  const [first] = [...event.target.querySelectorAll("[data-mistake]")].filter(showDateMistake);
  if (first === undefined) return;
  event.preventDefault();
  document.querySelector(".banner.good")?.remove();
  first.focus();
});

// The browser drops the first response to a form that is sent twice, which may be the only one that shows a secret.
// Forms with GET only show something, and may leave this page open.
const forgetSentMs = 15_000;
const sentForms = new Set();
const setDisabled = (form, isDisabled) => {
  for (const button of form.querySelectorAll("button[type=submit]")) button.disabled = isDisabled;
};
const forgetSent = () => {
  sentForms.clear();
  for (const form of document.querySelectorAll("form[method=post]")) setDisabled(form, false);
};
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || !form.matches("form[method=post]")) return;
  if (sentForms.has(form)) {
    event.preventDefault();
    return;
  }
  sentForms.add(form);
  // Later, because the name and value of a disabled button would not be sent.
  setTimeout(() => setDisabled(form, true));
  // The merchant may have stopped loading the response.
  setTimeout(forgetSent, forgetSentMs);
});
// The page is shown again after "back", in some browsers with the buttons as they were left. It is also shown for the
// first time once all images are there, perhaps after the merchant has sent a form.
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted || sentForms.size === 0) forgetSent();
});

document.querySelector("form[data-send]")?.submit();
document.querySelector("[data-mistakes]")?.focus();
