import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { sharedPagesRig } from "../harness/pages-rig.ts";
import { createFullStore, type RouteRow, rulesVersionOf, settingsRoutes } from "../harness/settings-routes.ts";
import { signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { viewports } from "./pages-in-browser.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();
const forms = Object.entries(settingsRoutes)
  .filter(([name, { isForScript }]) => name.startsWith("POST") && !isForScript)
  .map(([name]) => name);

/** Submits a form with these fields from the open page, as if it were one of the page's own forms. */
async function send(page: Page, fields: Readonly<Record<string, string>>, file: File | undefined): Promise<void> {
  await page.evaluate(`{
    const form = document.createElement("form");
    form.id = "sent";
    form.method = "post";
    form.enctype = ${JSON.stringify(file === undefined ? "application/x-www-form-urlencoded" : "multipart/form-data")};
    const token = document.querySelector("input[name=token]").value;
    for (const [name, value] of Object.entries({ token, ...${JSON.stringify(fields)} }))
      form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    form.append(Object.assign(document.createElement("input"), { type: "file", name: "file" }));
    ${file === undefined ? "form.lastChild.remove();" : ""}
    document.body.append(form);
  }`);
  if (file !== undefined) {
    const buffer = Buffer.from(await file.arrayBuffer());
    await page.locator("#sent [type=file]").setInputFiles({ name: file.name, mimeType: file.type, buffer });
  }
  const loaded = page.waitForEvent("load");
  await page.evaluate("document.getElementById('sent').submit()");
  await loaded;
}

// Registered here, because a page that a test opens would be closed with that test.
const closings: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closings.map((close) => close())));

/** A store, and a merchant who is signed in to it until the end of the file. */
async function openStore() {
  const store = await createFullStore(rig);
  const options = { ...viewports.phone, locale: "de" };
  return { store, merchant: await signIn(rig, browser, store.storeId, options, (close) => closings.push(close)) };
}

// The nth form of each page changes the nth store, so that no other form of its page has changed what it is about.
const stores: ReturnType<typeof openStore>[] = [];
const pathOf = (name: string) => name.split(" ")[1];
const placeOnPage = (name: string) => forms.filter((form) => pathOf(form) === pathOf(name)).indexOf(name);

test.each(forms)("the response to %s is accessible, fits the screen, and causes no unexpected error", async (name) => {
  const { path, fields, file }: RouteRow = settingsRoutes[name] ?? {};
  const [, route = "", action = ""] = name.split(" ");
  const place = placeOnPage(name);
  stores[place] ??= openStore();
  const { store, merchant } = await stores[place];
  // Ends the requests of the page that the last form has left open.
  await merchant.page.goto("about:blank");
  const earlier = merchant.problems.length;
  // Submitted without fields, most forms are refused and shown again with error messages.
  for (const entries of fields === undefined ? [{}] : [{}, fields(store, await rulesVersionOf(rig, store.storeId))]) {
    await merchant.open(path?.(store) ?? route);
    await send(merchant.page, { ...entries, action, nonce: `nonce-${forms.indexOf(name)}` }, file?.());
    // The page of an import opens again when the import ends. Here, no message ever arrives.
    if (route.includes("import")) await merchant.page.locator("section[data-live]").waitFor({ state: "detached" });
    await merchant.page.waitForLoadState();
    await merchant.inspect();
  }
  // The browser logs a response with status 404 as an error.
  expect(merchant.problems.slice(earlier).filter((problem) => !problem.includes("status of 404"))).toEqual([]);
});
