import { describe, expect, test } from "vitest";
import { textLimits } from "#shared/text/text-limits.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { listAll } from "../harness/public-certificate.ts";
import { type BrowserSession, keptFormIn, openBrowserSession } from "../harness/settings-browser.ts";
import { signInLink } from "../harness/settings-session.ts";
import { createTestStore } from "../harness/test-stores.ts";

const rig = await sharedPagesRig();
const { registry, edge } = rig;
const origin = `http://127.0.0.1:${edge.port}`;

const entries = { action: "issue", title: "Kite Season", buyer: "Zoë", email: "zoe" };

/** Opens a page with these cookies. */
function open(path: string, ...cookies: (string | undefined)[]) {
  const headers = { Cookie: cookies.join("; "), "Accept-Language": "en" };
  return fetch(origin + path, { headers, redirect: "manual" });
}

const sessionOf = ({ sessionToken }: BrowserSession) => `__Host-settings=${sessionToken}`;

test("a refused form redirects to its page, which shows the entries and mistakes as often as it is opened", async () => {
  const merchant = await openBrowserSession(rig, await createPageStore(rig));
  const response = await merchant.post("/certificates/issue?lang=en&done=x", { ...entries, token: merchant.formToken });
  const page = response.headers.get("location") ?? "";
  expect([response.status, page]).toEqual([
    303,
    expect.stringMatching(/^\/settings\/certificates\/issue\?lang=en&form=/),
  ]);
  for (let time = 0; time < 2; time++) {
    const text = await (await open(page, sessionOf(merchant), keptFormIn(response))).text();
    expect(text).toContain('value="Kite Season"');
    expect(text).toContain('id="issue-email-mistake"');
  }
  // Opened from the navigation, the page is empty.
  const fresh = await open("/settings/certificates/issue", sessionOf(merchant), keptFormIn(response));
  expect(await fresh.text()).not.toContain("Kite Season");
});

const trigger = { action: "create", url: "http://flows.example.test/hook", format: "profile", "event-2": "on" };
const triggerShown = [`value="${trigger.url}"`, 'value="profile" checked', 'name="event-2" value="on" checked'];
const productPath = "/products/product?id=7001";

/** Creates a store with a product. */
async function createProductStore(shop = `${crypto.randomUUID()}.example.test`): Promise<string> {
  const storeId = await createTestStore(registry, { shop });
  const products = [{ id: "7001", title: "Kite Season", variants: [{ sku: "KITE", title: "A2" }] }];
  await registry.admin.putProducts({ products }, inStore(storeId));
  return storeId;
}

test.each([
  ["a new trigger", "/triggers", trigger, undefined, [...triggerShown, 'id="create-url-mistake"']],
  [
    "a product's maker",
    productPath,
    { action: "setMaker", maker: "M".repeat(textLimits.maker.max + 1) },
    undefined,
    [`value="${"M".repeat(textLimits.maker.max + 1)}"`, "data-mistakes"],
  ],
  [
    "a product's image",
    productPath,
    { action: "setImage" },
    new File(["no image"], "image.png"),
    ['id="setImage-image-mistake"'],
  ],
])(
  "the refused form for %s shows its entries and mistakes, also after a reload",
  async (_, path, form, file, shown) => {
    const merchant = await openBrowserSession(rig, await createProductStore());
    const response = await merchant.post(path, { ...form, token: merchant.formToken }, file);
    expect(response.status).toBe(303);
    for (let time = 0; time < 2; time++) {
      const page = await open(response.headers.get("location") ?? "", sessionOf(merchant), keptFormIn(response));
      const text = await page.text();
      for (const part of shown) expect(text).toContain(part);
    }
  },
);

test("the browser keeps only ciphertext, and another store's page does not show it", async () => {
  const merchant = await openBrowserSession(rig, await createPageStore(rig));
  const other = await openBrowserSession(rig, await createPageStore(rig));
  const response = await merchant.post("/certificates/issue", { ...entries, token: merchant.formToken });
  const kept = keptFormIn(response);
  expect(Buffer.from(kept?.split("=")[1] ?? "", "base64url").toString("latin1")).not.toContain("Kite");
  const page = response.headers.get("location") ?? "";
  expect(await (await open(page, sessionOf(other), kept)).text()).not.toContain("Kite Season");
  const altered = `${kept?.slice(0, -2)}xx`;
  expect(await (await open(page, sessionOf(merchant), altered)).text()).not.toContain("Kite Season");
});

test("entries that are too long for a cookie are shown in the response to the form", async () => {
  const merchant = await openBrowserSession(rig, await createPageStore(rig));
  const title = Buffer.from(crypto.getRandomValues(new Uint8Array(4_000))).toString("base64url");
  const response = await merchant.post("/certificates/issue", { ...entries, title, token: merchant.formToken });
  expect([response.status, keptFormIn(response)]).toEqual([422, undefined]);
  expect(await response.text()).toContain(title);
});

test("a new secret is shown once, and a reload shows the page without it", async () => {
  const merchant = await openBrowserSession(rig, await createPageStore(rig));
  const form = { action: "create", label: "shop", token: merchant.formToken };
  const response = await merchant.post("/keys", form);
  const page = response.headers.get("location") ?? "";
  const cookie = `${sessionOf(merchant)}; ${keptFormIn(response)}`;
  const head = await fetch(origin + page, { method: "HEAD", headers: { Cookie: cookie } });
  expect([head.status, head.headers.get("set-cookie")]).toEqual([200, null]);
  const shown = await open(page, cookie);
  expect(await shown.text()).toMatch(/id="secret"[^>]* value="crk_/);
  expect(shown.headers.get("set-cookie")).toMatch(/^__Host-settings-form=; Path=\/; Max-Age=0/);
  const reloaded = await (await open(page, sessionOf(merchant))).text();
  expect(reloaded).not.toContain('id="secret"');
  expect(reloaded).toContain("<bdi>shop</bdi>");
});

test("a successful form forgets only what is kept for its own page", async () => {
  const merchant = await openBrowserSession(rig, await createPageStore(rig));
  const refused = await merchant.post("/certificates/issue", { ...entries, token: merchant.formToken });
  const headers = { Cookie: `${sessionOf(merchant)}; ${keptFormIn(refused)}`, "Sec-Fetch-Site": "same-origin" };
  const post = (path: string, fields: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams({ ...fields, token: merchant.formToken });
    return fetch(`${origin}/settings${path}`, { method: "POST", body, headers, redirect: "manual" });
  };
  const elsewhere = await post("/plan", { action: "toPro" });
  expect([elsewhere.status, elsewhere.headers.get("set-cookie")]).toEqual([303, null]);
  const issued = await post("/certificates/issue", { ...entries, email: "zoe@example.test", nonce: "nonce-1" });
  expect(issued.headers.get("location")).toContain("done=issued");
  expect(issued.headers.get("set-cookie")).toMatch(/^__Host-settings-form=; Path=\/; Max-Age=0/);
});

test("a form that was opened before a newer sign-in to the same store is shown again, and not executed", async () => {
  const shop = `${crypto.randomUUID()}.example.test`;
  const storeId = await createTestStore(registry, { shop });
  const [before, now] = [await openBrowserSession(rig, storeId), await openBrowserSession(rig, storeId)];
  const form = { ...entries, email: "zoe@example.test", shop, token: before.formToken, nonce: "nonce-1" };
  const page = await now.submit("/certificates/issue", form);
  const text = await page.text();
  expect([page.status, text]).toEqual([200, expect.stringContaining("You are signed in again")]);
  expect(text).toContain('value="Kite Season"');
  expect(await listAll(registry, storeId)).toEqual([]);
  const refused = [
    await now.post("/certificates/issue", { ...form, shop: "other.example.test" }),
    await now.fromSite("cross-site").post("/certificates/issue", form),
  ];
  for (const response of refused) expect([response.status, keptFormIn(response)]).toEqual([400, undefined]);
});

test("a confirmation holds only for the entries that the question named", async () => {
  const storeId = await createPageStore(rig);
  const { certificateId } = await rig.issue(storeId);
  const merchant = await openBrowserSession(rig, storeId);
  const path = `/certificates/${certificateId}`;
  const proof = { token: merchant.formToken, nonce: "nonce-1" };
  const toAda = { action: "transfer", name: "Ada", email: "ada@example.test" };
  const question = await (await merchant.submit(path, { ...toAda, ...proof })).text();
  expect(question).toContain("Ada (ada@example.test) becomes the owner");
  const [, confirmed = ""] = /name="confirmed" value="([^"]+)"/.exec(question) ?? [];
  const toBob = { ...toAda, name: "Bob", email: "bob@example.test", ...proof, confirmed };
  expect(await (await merchant.submit(path, toBob)).text()).toContain("Bob (bob@example.test) becomes the owner");
  const done = await merchant.post(path, { ...toAda, ...proof, confirmed });
  expect(done.headers.get("location")).toContain("done=transferred");
});

describe("a form whose session has ended", () => {
  async function sendAfterEnd(path = "/certificates/issue", sent: Readonly<Record<string, string>> = entries) {
    const shop = `${crypto.randomUUID()}.example.test`;
    const storeId = await createProductStore(shop);
    const merchant = await openBrowserSession(rig, storeId);
    await registry.admin.revokeSessions({}, inStore(storeId));
    const form = { ...sent, shop, token: merchant.formToken, nonce: "nonce-1" };
    return { storeId, merchant, form, response: await merchant.post(path, form) };
  }

  const signIn = async (storeId: string, kept: string | undefined) => {
    const { proof } = await signInLink(registry, storeId, "Ada");
    const headers = { Cookie: kept ?? "", "Sec-Fetch-Site": "same-origin" };
    const url = `${origin}/settings/sign-in/${proof.value}`;
    const response = await fetch(url, { method: "POST", body: new URLSearchParams(), headers, redirect: "manual" });
    const [session = ""] = /__Host-settings=[^;]+/.exec(response.headers.get("set-cookie") ?? "") ?? [];
    return { session, location: response.headers.get("location") ?? "" };
  };

  test("is kept until the merchant has signed in, and is then shown with its entries", async () => {
    const { storeId, response } = await sendAfterEnd();
    const kept = keptFormIn(response);
    const signedOut = await open(response.headers.get("location") ?? "", kept);
    expect([signedOut.status, await signedOut.text()]).toEqual([401, expect.stringContaining("keeps your entries")]);
    const { session, location } = await signIn(storeId, kept);
    const page = await (await open(location, session, kept)).text();
    expect(page).toContain("You are signed in again");
    expect(page).toContain("If you had already sent it before your session ended, check first whether it took effect.");
    for (const value of ["Kite Season", "Zoë", "zoe"]) expect(page).toContain(`value="${value}"`);
    expect(page).not.toContain("data-mistakes");
  });

  test.each([
    ["a new trigger", "/triggers", trigger, triggerShown],
    ["a product's maker", productPath, { action: "setMaker", maker: "Mara & Co" }, ['value="Mara &amp; Co"']],
  ])("for %s is shown with its entries after a sign-in", async (_, path, sent, shown) => {
    const { storeId, response } = await sendAfterEnd(path, sent);
    const kept = keptFormIn(response);
    const { session, location } = await signIn(storeId, kept);
    const page = await (await open(location, session, kept)).text();
    for (const part of ["You are signed in again", ...shown]) expect(page).toContain(part);
    expect(page).not.toContain("data-mistakes");
  });

  test("for a report is shown after a sign-in, and the report is open until the form is sent again", async () => {
    const shop = `${crypto.randomUUID()}.example.test`;
    const storeId = await createTestStore(registry, { shop });
    const { certificateId } = await rig.issue(storeId);
    const { reportId } = await registry.verification.reportProblem({ certificateId, content: "It differs." });
    const before = await openBrowserSession(rig, storeId);
    await registry.admin.revokeSessions({}, inStore(storeId));
    const close = { action: "close", scope: reportId, report: reportId };
    const response = await before.post("/reports", { ...close, shop, token: before.formToken, nonce: "nonce-1" });
    const { session, location } = await signIn(storeId, keptFormIn(response));
    const page = await (await open(location, session, keptFormIn(response))).text();
    for (const part of ["You are signed in again", "It differs.", `name="report" value="${reportId}"`])
      expect(page).toContain(part);
    const openReports = async () =>
      (await registry.inspection.listReports({ openOnly: true }, inStore(storeId))).reports.map(({ id }) => id);
    expect(await openReports()).toEqual([reportId]);
    const after = await openBrowserSession(rig, storeId);
    expect((await after.post("/reports", { ...close, token: after.formToken, nonce: "nonce-1" })).status).toBe(303);
    expect(await openReports()).toEqual([]);
  });

  test("with a file is refused, and not kept", async () => {
    const { merchant, form } = await sendAfterEnd(productPath);
    const fields = { ...form, action: "setImage" };
    const { status, headers } = await merchant.post(productPath, fields, new File(["image"], "image.png"));
    expect([status, headers.get("set-cookie")]).toEqual([401, expect.not.stringContaining("settings-form")]);
  });

  test("is continued on the page with the query that it was sent from", async () => {
    const { storeId, response } = await sendAfterEnd("/products/product?id=p%261&done=saved");
    const { location } = await signIn(storeId, keptFormIn(response));
    expect(location).toMatch(/^\/settings\/products\/product\?id=p%261&form=/);
  });

  test("is continued after a sign-in, but a refused form and a question are not", async () => {
    const storeId = await createPageStore(rig);
    const { certificateId } = await rig.issue(storeId);
    const merchant = await openBrowserSession(rig, storeId);
    const refused = await merchant.post("/certificates/issue", { ...entries, token: merchant.formToken });
    const question = { action: "revoke", reason: "lost", token: merchant.formToken };
    const unconfirmed = await merchant.post(`/certificates/${certificateId}`, question);
    for (const response of [refused, unconfirmed]) {
      expect(keptFormIn(response)).toBeDefined();
      expect((await signIn(storeId, keptFormIn(response))).location).toBe("/settings");
    }
  });

  test("is not shown in another store", async () => {
    const { response } = await sendAfterEnd();
    const kept = keptFormIn(response);
    const { session, location } = await signIn(await createPageStore(rig), kept);
    expect(location).toBe("/settings");
    const page = await open(response.headers.get("location") ?? "", session, kept);
    expect(await page.text()).not.toContain("Kite Season");
  });

  test("is not kept if another site or a script has sent it", async () => {
    const { merchant, form } = await sendAfterEnd();
    const foreign = await merchant.fromSite("cross-site").post("/certificates/issue", form);
    const { nonce: _, ...unsent } = form;
    const script = await merchant.post("/certificates/issue", unsent);
    for (const { status, headers } of [foreign, script])
      expect([status, headers.get("set-cookie")]).toEqual([401, expect.not.stringContaining("settings-form")]);
  });
});

test("the links of an error page to other languages keep the query", async () => {
  const page = await (await open("/settings/certificates?q=%231042&status=active&lang=de")).text();
  expect(page).toContain('href="?q=%231042&amp;status=active&amp;lang=ja"');
});
