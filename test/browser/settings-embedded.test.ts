import { afterAll, expect, test } from "vitest";
import { inStore } from "../harness/in-store.ts";
import { serveHttp } from "../harness/listeners/serve-http.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { openTestPlatform } from "../harness/test-platform.ts";
import { signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { openPage } from "./pages-in-browser.ts";

const platform = await openTestPlatform(afterAll);
/** The platform's admin, which embeds the settings. The settings are on another site: 127.0.0.1, not localhost. */
const admin = await serveHttp(async (_request, response) => {
  const source = `http://127.0.0.1:${rig.edge.port}/settings/sign-in?token=${await platform.sign(shop)}&lang=en`;
  response.writeHead(200, { "Content-Type": "text/html" });
  response.end(`<!doctype html><title>Admin</title><iframe src="${source}" width="1200" height="700"></iframe>`);
}, afterAll);
const adminUrl = admin.replace("127.0.0.1", "localhost");
const rig = await openPagesRig({ settingsFrameAncestors: [adminUrl] }, platform.variables);
const browser = await openBrowser();

const shop = "embedded.example.test";
await createPageStore(rig, { shop });

test("signs in inside the platform's admin, with a cookie that is partitioned by the admin's site, and changes a setting", async () => {
  const { page, problems } = await openPage(browser);
  await page.goto(adminUrl);
  const frame = page.frameLocator("iframe");
  await frame.getByRole("heading", { name: "Overview" }).waitFor();
  const cookies = await page.context().cookies();
  expect(cookies.find(({ name }) => name === "__Host-settings")).toMatchObject({
    sameSite: "None",
    secure: true,
    httpOnly: true,
    partitionKey: "http://localhost",
  });
  await frame.getByRole("link", { name: "Appearance" }).first().click();
  await frame.locator("#save-name").fill("Embedded Press");
  await frame.getByRole("button", { name: "Save", exact: true }).click();
  await frame.getByText("Saved.").waitFor();
  const { store } = await rig.registry.admin.getStore({}, inStore(shop));
  expect(store?.displayName).toBe("Embedded Press");
  expect(problems).toEqual([]);
  // Outside the admin, the cookie is not sent.
  await page.goto(`http://127.0.0.1:${rig.edge.port}/settings?lang=en`);
  expect(await page.locator("h1").innerText()).toBe("You are not signed in");
});

test("outside the admin, a link with another store's token replaces the session only after a click", async () => {
  const own = await createPageStore(rig);
  const { page, visit, inspect, problems } = await signIn(rig, browser, own, { locale: "en" });
  const settings = page.url();
  const session = async () => (await page.context().cookies()).find(({ name }) => name === "__Host-settings")?.value;
  const before = await session();
  await visit(`${settings}/sign-in?token=${await platform.sign(shop)}`);
  await inspect();
  expect(await page.locator("strong").innerText()).toBe(shop);
  expect(await session()).toBe(before);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  expect(await page.locator(".shop").first().innerText()).toBe(shop);
  // Without a session to replace, a click is required, too.
  await page.context().clearCookies();
  await visit(`${settings}/sign-in?token=${await platform.sign(shop)}`);
  await inspect();
  expect(await page.locator("strong").innerText()).toBe(shop);
  expect(await session()).toBeUndefined();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  expect(problems).toEqual([]);
});

test("an origin that is not configured cannot embed the settings", async () => {
  const { page, problems } = await openPage(browser);
  // The same server as the admin, but under 127.0.0.1: only its localhost origin may embed the settings.
  await page.goto(admin);
  await expect.poll(() => problems.join()).toContain("frame-ancestors");
});
