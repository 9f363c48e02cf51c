import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { loadPageAssets } from "../../services/edge/pages/page-assets.ts";
import { problemPage } from "../../services/edge/pages/page-errors.ts";
import { htmlType, pageHeaders } from "../../services/edge/pages/page-headers.ts";
import { problemView, type SettingsProblem } from "../../services/edge/settings/shell/shell.ts";
import { noEntries } from "../../services/edge/verification/report-form.ts";
import { reportUnconfirmedView } from "../../services/edge/verification/report-view.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { variants } from "../harness/variants.ts";
import { openBrowser } from "./open-browser.ts";
import { accessibilityProblems, fitsScreen, openPage, viewports, type WatchedPage } from "./pages-in-browser.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();
const origin = `http://127.0.0.1:${rig.edge.port}`;
const assets = loadPageAssets();

const kinds = namesOf<Parameters<typeof problemPage>[3]>({
  notFound: 0,
  unknownPath: 0,
  unavailable: 0,
  limited: 0,
  invalid: 0,
  slow: 0,
  internal: 0,
});
const settingsKinds = namesOf<SettingsProblem>({
  signedOut: 0,
  signedOutKept: 0,
  notFound: 0,
  unavailable: 0,
  unavailableWithForm: 0,
  uncertain: 0,
  unchanged: 0,
  unchangedWithForm: 0,
  limited: 0,
  limitedUnchanged: 0,
  limitedWithForm: 0,
  invalid: 0,
  slow: 0,
  internal: 0,
});

/** Lists the members of a union; the compiler checks that none is missing. */
function namesOf<Kind extends string>(names: Readonly<Record<Kind, 0>>): Kind[] {
  return Object.keys(names) as Kind[];
}

async function expectAccessible(page: Page): Promise<void> {
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await fitsScreen(page)).toBe(true);
}

/**
 * Shows an error page as the edge renders it, and checks that it is accessible and fits the screen.
 *
 * @param url URL of the edge at which the page's relative links to `assets/` resolve
 */
async function show({ page, visit }: WatchedPage, url: string, body: unknown): Promise<void> {
  await page.route(url, (route) => route.fulfill({ headers: pageHeaders, contentType: htmlType, body: String(body) }));
  await visit(url);
  await expectAccessible(page);
}

describe.each(
  variants([
    ["phone", "de", viewports.phone],
    ["dark desktop", "ja", { ...viewports.desktop, colorScheme: "dark" as const }],
  ] as const),
)("on a %s in %s", (_name, language, options) => {
  test("every verification error page is accessible and fits the screen", async () => {
    const watched = await openPage(browser, options);
    for (const kind of kinds) await show(watched, `${origin}/verify/${kind}`, problemPage(assets, language, "", kind));
    const report = { ...noEntries, content: "The seam is open." };
    await show(watched, `${origin}/verify/unknown/report`, reportUnconfirmedView(assets, language, report));
    expect(watched.problems).toEqual([]);
  });

  test("every settings error page is accessible and fits the screen", async () => {
    const frame = { assets: assets.settings, signInUrl: "https://admin.example.test/apps/certificates" };
    const watched = await openPage(browser, options);
    const sent = new URLSearchParams({ title: "Kite Season" });
    for (const kind of settingsKinds) {
      const entries = kind.endsWith("WithForm") ? sent : undefined;
      await show(
        watched,
        `${origin}/settings/${kind}`,
        problemView(frame, language, kind, new URLSearchParams(), entries),
      );
    }
    expect(watched.problems).toEqual([]);
  });

  test("the sign-in and sign-out pages are accessible and fit the screen", async () => {
    const { page, problems } = await openPage(browser, { ...options, locale: language });
    const submit = page.locator("button[type=submit]");
    await page.goto(`${origin}/settings/sign-in/unknown`);
    await expectAccessible(page);
    await submit.click();
    await page.waitForLoadState("networkidle");
    await expectAccessible(page);
    const { url } = await rig.registry.admin.createSettingsLink({ actor: "Ada" }, inStore(await createPageStore(rig)));
    await page.goto(url);
    await submit.click();
    await page.locator(".session button").click();
    await page.locator(".session").waitFor({ state: "detached" });
    await expectAccessible(page);
    // The browser logs the status of the refused link as an error.
    expect(problems.filter((problem) => !problem.includes("status of 401"))).toEqual([]);
  });
});
