import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser, BrowserContextOptions, Page, Request } from "playwright-core";
import { expect } from "vitest";
import { atEnd } from "#shared/lifecycle/at-end-fixture.ts";

/** The screens on which the pages are tested. */
export const viewports = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 900 }, deviceScaleFactor: 1 },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>;

const person = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36";

/** A page in a new browser profile, with the problems that occurred on it. */
export type WatchedPage = Awaited<ReturnType<typeof openPage>>;

/**
 * Opens an empty page. The `User-Agent` is that of a regular Chrome, because the edge does not record when a bot opens
 * a page.
 *
 * @param onEnd registers the function that closes the page. Default: {@link atEnd}
 */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
  onEnd: (close: () => Promise<void>) => void = atEnd,
) {
  const context = await browser.newContext({ ...viewports.desktop, userAgent: person, ...options });
  onEnd(() => context.close());
  // Playwright's half a minute is too short for a machine that stands still for seconds.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems: string[] = [];
  const sizes: Promise<number>[] = [];
  const pending = new Set<Request>();
  page.on("request", (request) => pending.add(request));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("requestfailed", (request) => {
    pending.delete(request);
    problems.push(`${request.url()} failed: ${request.failure()?.errorText}`);
  });
  page.on("requestfinished", (request) => {
    pending.delete(request);
    const size = request
      .sizes()
      .then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize);
    sizes.push(size.catch(() => 0));
  });
  return {
    page,
    problems,
    /** Returns the number of bytes that all responses so far took on the network, headers included. */
    transferredBytes: async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0),
    visit: async (url: string) => {
      await page.goto(url);
      await expect.poll(() => pending.size, { interval: 10 }).toBe(0);
    },
  };
}

// The width at which a page that is enlarged to 400 % must need no scrolling (WCAG 1.4.10).
const narrowest = 320;

/** Returns whether a page fits the screen without scrolling sideways; a phone's also one of the narrowest width. */
export async function fitsScreen(page: Page): Promise<boolean> {
  const screen = page.viewportSize();
  if (screen === null) throw new Error("the page has no viewport");
  const widths = screen.width === viewports.phone.viewport.width ? [screen.width, narrowest] : [screen.width];
  const needed: number[] = [];
  for (const width of widths) {
    await page.setViewportSize({ ...screen, width });
    needed.push(await page.evaluate<number>("document.documentElement.scrollWidth"));
  }
  await page.setViewportSize(screen);
  return widths.every((width, index) => (needed[index] ?? 0) <= width);
}

const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary";

/**
 * Moves through a page with the Tab key.
 *
 * @returns the controls that never have the focus, and those that do not show that they have it. Of the radio buttons
 *   of a group, one is enough: arrow keys reach the others
 */
export async function keyboardProblems(page: Page): Promise<string[]> {
  const count = await page.evaluate<number>(`document.activeElement.blur();
    globalThis.unreached = new Set([...document.querySelectorAll(${JSON.stringify(controls)})]
      .filter((control) => !control.disabled && control.checkVisibility({ visibilityProperty: true })));
    unreached.size`);
  const hidden: string[] = [];
  // A date has up to four stops, and an area that scrolls has one without being a control.
  for (let presses = 0; presses < 4 * count && (await page.evaluate<number>("unreached.size")) > 0; presses++) {
    await page.keyboard.press("Tab");
    const problem = await page.evaluate<string | null>(`(() => {
      const control = document.activeElement;
      for (const other of unreached)
        if (other === control || (control.type === "radio" && other.type === "radio" && other.name === control.name))
          unreached.delete(other);
      const { outlineStyle, boxShadow } = getComputedStyle(control);
      // The button in a date has an outline of its own, which a script cannot see.
      const isHidden = outlineStyle === "none" && boxShadow === "none";
      return isHidden && control !== document.body && control.type !== "date" ? control.outerHTML : null;
    })()`);
    if (problem !== null) hidden.push(`does not show the focus: ${problem}`);
  }
  const unreached = await page.evaluate<string[]>("Array.from(unreached, ({ outerHTML }) => outerHTML)");
  return [...hidden, ...unreached.map((control) => `cannot be reached: ${control}`)];
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Checks the accessibility of a page with axe's default rules: WCAG 2.1 AA, as far as axe can detect violations, and
 * axe's best practices. Also finds ids that several elements have, which axe reports only for some elements.
 *
 * @returns a line for each element that violates a rule
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // Ends all animations, because axe would report low contrast before their end. One of the demo shop lasts 20 seconds.
  await page.evaluate("for (const animation of document.getAnimations()) animation.finish()");
  // Evaluated through the debugger, to which the page's content security policy does not apply.
  await page.evaluate(axeSource);
  // Without the details of passed checks, axe takes half the time. It reports the same violations.
  const violations = await page.evaluate<AxeResults["violations"]>(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)",
  );
  const ids = await page.evaluate<string[]>("Array.from(document.querySelectorAll('[id]'), ({ id }) => id)");
  const repeatedIds = ids.filter((id, index) => ids.indexOf(id) !== index);
  return [
    ...repeatedIds.map((id) => `several elements have the id ${id}`),
    ...violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    ),
  ];
}
