import { describe, expect, test } from "vitest";
import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { textsFor } from "#shared/texts/texts.ts";
import { apiKeysMax } from "../../services/registry/stores/api-keys.ts";
import { triggersMax } from "../../services/registry/triggers/trigger.ts";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";
import { allProducts } from "../harness/storefront/rules.ts";

const rig = await sharedPagesRig();

test("of several forms for the same action, only the refused one is expanded, and the others show their default values", async () => {
  const { admin } = rig.registry;
  const storeId = await createPageStore(rig);
  const createKey = async (label: string) => (await admin.createApiKey({ label }, inStore(storeId))).keyId;
  const [refused, other] = [await createKey("refused"), await createKey("other")];
  const merchant = await openBrowserSession(rig, storeId);
  const fields = { token: merchant.formToken, action: "roll", scope: refused, key: refused, grace: "7" };
  const response = await merchant.submit("/keys", fields);
  expect(response.status).toBe(200);
  const page = await response.text();
  const chosen = (keyId: string) => {
    const [, options] = new RegExp(`<select id="roll-${keyId}-grace"[^>]*>(.*?)</select>`, "s").exec(page) ?? [];
    return /value="(\d+)" selected/.exec(options ?? "")?.[1];
  };
  // The refused form has no option for the entered grace period, so none is selected.
  expect({ refused: chosen(refused), other: chosen(other) }).toEqual({ refused: undefined, other: "86400" });
  expect(page.match(/<details class="disclosure" open>/g)).toHaveLength(1);
});

test("no certificate is issued or transferred to an address that can never receive mail", async () => {
  const storeId = await createPageStore(rig);
  const merchant = await openBrowserSession(rig, storeId);
  const certificateId = await issueOne(rig.registry, storeId);
  const before = await listAll(rig.registry, storeId);
  const common = { token: merchant.formToken, email: "ada@example" };
  for (const [path, form] of [
    ["/certificates/issue", { action: "issue", title: "Print", buyer: "Ada", nonce: "nonce-1" }],
    [`/certificates/${certificateId}`, { action: "transfer", name: "Ada", nonce: "nonce-2" }],
  ] as const) {
    const page = await (await merchant.submit(path, Object.assign({}, common, form))).text();
    expect(page).toContain("Enter a valid email address.");
  }
  expect(await listAll(rig.registry, storeId)).toEqual(before);
});

test("a store that has sent five hundred forms is refused until later; other stores are not", async () => {
  const [busy, other] = await Promise.all([createPageStore(rig), createPageStore(rig)]);
  const [flooding, calm] = [await openBrowserSession(rig, busy), await openBrowserSession(rig, other)];
  const send = ({ post, formToken: token }: typeof calm) =>
    post("/certificates/issue", {
      token,
      action: "issue",
      title: "Kite",
      buyer: "Ada",
      email: "ada@example.test",
      nonce: "n",
    });
  const statuses: number[] = [];
  const refusals: Response[] = [];
  const flood = async () => {
    // The quota refills by one change in 17 seconds, so the first refusal may come after more than 500 forms.
    while (refusals.length === 0 && statuses.length < 600) {
      const response = await send(flooding);
      statuses.push(response.status);
      if (response.status === 429) refusals.push(response);
    }
  };
  await Promise.all(Array.from({ length: 8 }, flood));
  const refused = statuses.filter((status) => status === 429).length;
  expect(refused).toBeGreaterThan(0);
  const accepted = statuses.filter((status) => status === 303).length;
  expect(accepted).toBeGreaterThanOrEqual(500);
  expect(accepted).toBe(statuses.length - refused);
  expect((await send(calm)).status).toBe(303);
  expect(await refusals[0]?.text()).toContain(textsFor("en")("settings.shell.problem.limitedWithForm.explanation"));
});

test("a refused form does not show the success of the previous one", async () => {
  const storeId = await createPageStore(rig);
  const { certificateId } = await rig.issue(storeId);
  const path = `/certificates/${certificateId}`;
  const merchant = await openBrowserSession(rig, storeId);
  expect(await (await merchant.get(`${path}?done=transferred`)).text()).toContain('class="banner good"');
  const response = await merchant.submit(`${path}?done=transferred`, { token: merchant.formToken, action: "transfer" });
  expect(response.status).toBe(200);
  const page = await response.text();
  expect(page).toContain('class="banner bad"');
  expect(page).not.toContain('class="banner good"');
});

test.each([
  ["http://x.example/verify", "The URL does not begin with https://"],
  ["https://x.example/verify?a=1", "The URL contains a query"],
  ["https://", "The URL is not of the form https://host/path"],
])(
  "the address of certificate links %j is refused beside its field, without the name in the API",
  async (links, why) => {
    const merchant = await openBrowserSession(rig, await createPageStore(rig));
    const response = await merchant.submit("/store", {
      token: merchant.formToken,
      action: "save",
      language: "en",
      links,
    });
    expect(response.status).toBe(200);
    const page = await response.text();
    expect(/id="save-links-mistake">([^<]*)</.exec(page)?.[1]).toContain(`This address cannot be used. ${why}`);
    expect(page).not.toContain("verify_base_url");
  },
);

test("the page states in German that the store has too many API keys", async () => {
  const storeId = await createPageStore(rig);
  for (let count = 0; count < apiKeysMax; count++)
    await rig.registry.admin.createApiKey({ label: "key" }, inStore(storeId));
  const merchant = await openBrowserSession(rig, storeId, "de");
  const response = await merchant.submit("/keys", { token: merchant.formToken, action: "create", label: "one more" });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain(
    "Der Shop hat bereits 20 API-Schlüssel, mehr sind nicht möglich. Widerrufen Sie einen, der nicht mehr verwendet wird.",
  );
});

test("the page states in German that the store has too many triggers", async () => {
  const storeId = await createPageStore(rig);
  const url = "https://flows.example.test/hook";
  for (let count = 0; count < triggersMax; count++)
    await rig.registry.triggers.createTrigger({ url }, inStore(storeId));
  const merchant = await openBrowserSession(rig, storeId, "de");
  const fields = { token: merchant.formToken, action: "create", url, format: "cloudevents" };
  const response = await merchant.submit("/triggers", fields);
  expect(response.status).toBe(200);
  expect(await response.text()).toContain(
    "Ein Shop kann höchstens 10 Trigger haben. Löschen Sie einen, der nicht mehr verwendet wird.",
  );
});

describe("a form for a storefront rule that another person has since removed", () => {
  test.each([
    ["remove", "/storefront"],
    ["up", "/storefront"],
    ["change", "/storefront/rules/gone"],
  ])("with the action %s is refused and shows the current rules and the reason", async (action, path) => {
    const { storefront } = rig.registry;
    const storeId = await createPageStore(rig);
    const rules = [
      { ...allProducts, selector: RuleSelector.SKU, value: "kept", name: "kept" },
      { ...allProducts, selector: RuleSelector.SKU, value: "gone", name: "gone" },
    ];
    const { rulesVersion } = await storefront.setStorefrontRules({ rules }, inStore(storeId));
    const merchant = await openBrowserSession(rig, storeId);
    await storefront.setStorefrontRules({ rules: rules.slice(0, 1) }, inStore(storeId));
    // `days` is invalid too, but the page must report that the rules have changed.
    const fields = { action, token: merchant.formToken, rule: "gone", version: String(rulesVersion), days: "x" };
    const response = await merchant.submit(path, fields);
    expect(response.status).toBe(200);
    const page = await response.text();
    expect(page).toContain("Someone else has changed the rules");
    expect(page).toContain("kept</code>");
    expect(page).not.toContain("gone</code>");
  });
});

test.each([
  ["a control character", "title", "Kite\u0007", "contains a control character"],
  ["a long SKU", "sku", "x".repeat(300), "is longer than 255 characters"],
  ["a long name", "buyer", "x".repeat(300), "is longer than"],
])("%s is refused beside its field, without the name in the contract", async (_what, field, entry, why) => {
  const merchant = await openBrowserSession(rig, await createPageStore(rig));
  const valid = { title: "Kite", sku: "K", buyer: "Ada", email: "ada@example.test" };
  const fields = { token: merchant.formToken, action: "issue", ...valid, [field]: entry };
  const page = await (await merchant.submit("/certificates/issue", fields)).text();
  expect(new RegExp(`id="issue-${field}-mistake">([^<]*)<`).exec(page)?.[1]).toContain(why);
  expect(page).not.toMatch(/product\.|buyer\.name/);
});

test.each([
  ["a label of an API key", "/keys", { action: "create", label: "x".repeat(101) }, "create-label"],
  ["a name of the store", "/store", { action: "save", language: "en", name: "x".repeat(101) }, "save-name"],
])("%s that is too long is refused beside its field, with the maximum", async (_what, path, form, field) => {
  const merchant = await openBrowserSession(rig, await createPageStore(rig));
  const page = await (await merchant.submit(path, { ...form, token: merchant.formToken })).text();
  const [, why] = new RegExp(`id="${field}-mistake">([^<]*)<`).exec(page) ?? [];
  expect(why).toContain("longer than 100 characters");
});

test("the list of errors names each field", async () => {
  const merchant = await openBrowserSession(rig, await createPageStore(rig));
  const fields = { token: merchant.formToken, action: "issue", until: "2020-01-31" };
  const page = await (await merchant.submit("/certificates/issue", fields)).text();
  const [list = ""] = /data-mistakes>.*?<\/div>/s.exec(page) ?? [];
  expect([...list.matchAll(/<a href="#([^"]+)">([^<]+)<\/a>/g)].map(([, id, text]) => [id, text])).toEqual([
    ["issue-title", "Title of the product: Fill in this field."],
    ["issue-buyer", "Name of the buyer: Fill in this field."],
    ["issue-email", "Email of the buyer: Fill in this field."],
    ["issue-until", "Valid until (optional): Enter a date in the future."],
  ]);
});
