import { expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { EditionStyle } from "#gen/registry/v1/store_admin_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { openBrowser } from "./open-browser.ts";
import { accessibilityProblems, fitsScreen, openPage, viewports } from "./pages-in-browser.ts";

const rig = await sharedPagesRig();
const { registry } = rig;
const browser = await openBrowser();

/** Issues a certificate of an edition. */
async function issueNumbered(editionStyle: EditionStyle, overrides: object = {}) {
  const storeId = await createPageStore(rig, { editionStyle, ...overrides });
  const products = [
    { id: "7001", title: "Kite Season", editionTotal: 1_250, variants: [{ sku: "KITE", title: "A2" }] },
  ];
  await registry.admin.putProducts({ products }, inStore(storeId));
  return { storeId, ...(await rig.issue(storeId, { product: { sku: "KITE" } })) };
}

test.each([
  [EditionStyle.NO_OF, { en: "No. 1 of 1,250", de: "Nr. 1 von 1.250", ja: "限定1,250点中 第1番" }],
  [EditionStyle.NUMBER, { en: "1 of 1,250", de: "1 von 1.250", ja: "1,250点中 1" }],
  [EditionStyle.ZERO_PADDED, { en: "Edition 0001/1250", de: "Edition 0001/1250", ja: "エディション 0001/1250" }],
])(
  "shows the edition below the title, in the store's style (%i) and the language of the page",
  async (style, shown) => {
    const { url } = await issueNumbered(style);
    const { page, visit } = await openPage(browser);
    for (const [language, edition] of Object.entries(shown)) {
      await visit(`${url}?lang=${language}`);
      expect(await page.locator(".edition").innerText()).toBe(edition);
    }
  },
);

test("links the store's domain below its name, or in it if the store has no other name", async () => {
  const { page, visit } = await openPage(browser);
  const named = await createPageStore(rig);
  const { store } = await registry.admin.getStore({}, inStore(named));
  await visit((await rig.issue(named)).url);
  const link = page.locator(".shop a");
  expect([await link.innerText(), await link.getAttribute("href")]).toEqual([store?.shop, `https://${store?.shop}`]);
  const bare = await createPageStore(rig, { displayName: "" });
  await visit((await rig.issue(bare)).url);
  expect(await page.locator(".shop").count()).toBe(0);
  expect(await page.locator(".issuer a").getAttribute("href")).toMatch(/^https:\/\//);
});

test("offers to share the address first, in the language of the page, without the preview", async () => {
  const { url } = await rig.issue(await createPageStore(rig));
  const { page, visit } = await openPage(browser, viewports.phone);
  await page.addInitScript("navigator.share = async (data) => { globalThis.shared = data; }");
  await visit(`${url}?lang=de&preview=1`);
  const buttons = page.locator(".actions button");
  expect(await buttons.allInnerTexts()).toEqual(["Zertifikat teilen", "Zertifikat drucken"]);
  await buttons.first().click();
  const shared = { title: "Echtheitszertifikat · Poster", url: `${url}?lang=de` };
  expect(await page.evaluate("globalThis.shared")).toEqual({ ...shared, title: await page.title() });
});

test.each([
  ["offers no dialog", "delete Navigator.prototype.share"],
  ["refuses it", "navigator.share = async () => { throw new DOMException('', 'NotAllowedError'); }"],
])("copies the address if the browser %s, and says so", async (_name, script) => {
  const { url } = await rig.issue(await createPageStore(rig));
  const { page, visit } = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.addInitScript(script);
  await visit(`${url}?lang=en`);
  await page.getByRole("button", { name: "Share certificate" }).click();
  const status = page.getByRole("status");
  await expect.poll(() => status.innerText()).toBe("Link copied");
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`${url}?lang=en`);
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("shows the address if the browser refuses to share and to copy it", async () => {
  const { url } = await rig.issue(await createPageStore(rig));
  const { page, visit } = await openPage(browser, viewports.phone);
  const refuse = "async () => { throw new DOMException('', 'NotAllowedError'); }";
  await page.addInitScript(`navigator.share = navigator.clipboard.writeText = ${refuse}`);
  await visit(`${url}?lang=en`);
  await page.getByRole("button", { name: "Share certificate" }).click();
  await expect.poll(() => page.getByRole("status").innerText()).toBe(`${url}?lang=en`);
  expect(await fitsScreen(page)).toBe(true);
});

test("copies nothing if the visitor closes the dialog", async () => {
  const { url } = await rig.issue(await createPageStore(rig));
  const { page, visit, problems } = await openPage(browser);
  const abort = "async () => { globalThis.opened = true; throw new DOMException('', 'AbortError'); }";
  await page.addInitScript(`navigator.share = ${abort}`);
  await visit(`${url}?lang=en`);
  await page.getByRole("button", { name: "Share certificate" }).click();
  await expect.poll(() => page.evaluate("globalThis.opened")).toBe(true);
  expect(await page.getByRole("status").innerText()).toBe("");
  expect(problems).toEqual([]);
});

test("tells the history in words without names, once there is more than the issue", async () => {
  const { certificateId, storeId, url } = await issueNumbered(EditionStyle.NO_OF);
  const { page, visit } = await openPage(browser, { javaScriptEnabled: false });
  await visit(`${url}?lang=en`);
  expect(await page.locator(".history").count()).toBe(0);
  const newOwner = { newOwnerName: "Grace Hopper", newOwnerEmail: "grace@example.test" };
  await registry.lifecycle.transferCertificate({ certificateId, ...newOwner }, inStore(storeId));
  const reason = "Charged back by Grace";
  await registry.lifecycle.revokeCertificate(
    { certificateId, cause: RevocationCause.IN_APP, reason },
    inStore(storeId),
  );
  await registry.lifecycle.reactivateCertificate({ certificateId }, inStore(storeId));
  await registry.database.collections.history.updateMany(
    { certificate: certificateId },
    { $set: { actor: "Grace Hopper" } },
  );
  await expect.poll(() => visit(`${url}?lang=en`).then(() => page.locator(".history li").count())).toBe(4);
  const date = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" });
  const entries = await page.locator(".history li").allInnerTexts();
  expect(entries.map((entry) => entry.replace(/\w+ \d+, \d+/, "…"))).toEqual([
    "Issued on …",
    "Transferred to a new owner on …",
    "Revoked on …",
    "Valid again since …",
  ]);
  expect(entries.at(1)).toContain(date.format(new Date()).slice(-4));
  expect(await page.content()).not.toContain("Grace");
});

test("shows a long history only from its latest twenty changes", async () => {
  const storeId = await createPageStore(rig);
  const { certificateId, url } = await rig.issue(storeId);
  const { history } = registry.database.collections;
  const change = { store: storeId, certificate: certificateId, type: 3, cause: "", actor: "" };
  const at = (index: number) => new Date(Date.UTC(2027, 0, 1 + index));
  await history.insertMany(
    Array.from({ length: 30 }, (_, index) => ({ _id: `${certificateId}-${index}`, at: at(index), ...change })),
  );
  const { page, visit } = await openPage(browser);
  await visit(`${url}?lang=en`);
  const entries = await page.locator(".history li").allInnerTexts();
  expect([entries.length, entries.at(1), entries.at(-1)]).toEqual([
    21,
    "Transferred to a new owner on January 11, 2027",
    "Transferred to a new owner on January 30, 2027",
  ]);
});
