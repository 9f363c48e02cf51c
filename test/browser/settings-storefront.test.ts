import { afterAll, describe, expect, test } from "vitest";
import { RuleNumbering, RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { listAll } from "../harness/public-certificate.ts";
import { orderPayload } from "../harness/storefront/order-payload.ts";
import { openTestPlatformApp } from "../harness/storefront/test-platform-app.ts";
import { type Merchant, merchantBrowsers, notice, send, signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";

const app = await openTestPlatformApp(afterAll);
const rig = await openPagesRig({ platformSecretFile: app.secretFile });
const browser = await openBrowser();
const { registry } = rig;

const refusal = ({ page }: Merchant) => page.locator(".banner.bad").innerText();

async function openShop() {
  const storeId = await createPageStore(rig);
  const { store } = await registry.admin.getStore({}, inStore(storeId));
  const shop = store?.shop ?? "";
  return {
    storeId,
    rulesOf: async () => (await registry.storefront.getStorefront({}, inStore(storeId))).rules,
    /** Sends the edge a message with a valid platform signature, and expects status 200. */
    deliver: async (topic: string, payload: object | string) => {
      const response = await app.send(`http://127.0.0.1:${rig.edge.port}`, { shop, topic, payload });
      expect(response.status).toBe(200);
    },
  };
}

describe.each(merchantBrowsers)("a merchant on a %s in %s", (name, language, options) => {
  const text = textsFor(language);

  test("adds a rule, after which the shop's next order gets a certificate", async () => {
    const { storeId, rulesOf, deliver } = await openShop();
    const merchant = await signIn(rig, browser, storeId, options);
    const { page } = merchant;
    await merchant.open("/storefront");
    expect(await page.locator("main").innerText()).toContain(text("settings.storefront.sentences.unused"));
    expect(await page.locator(".empty").innerText()).toBe(text("settings.storefront.rule.empty"));
    // Only the field of the chosen kind is shown.
    expect(await page.locator("#add-value").isVisible()).toBe(false);
    await page.locator("input[name=outcome][value=none]").check();
    expect(await page.locator("#add-edition").isVisible()).toBe(false);
    await page.locator("input[name=outcome][value=issue]").check();
    await page.locator("input[name=selector][value=sku]").check();
    expect(await page.getByLabel(text("settings.storefront.ruleForm.kinds.sku")).isVisible()).toBe(true);
    expect(await page.getByText(text("settings.storefront.ruleForm.kinds.tag"), { exact: true }).isVisible()).toBe(
      false,
    );
    await page.locator("#add-edition").fill("viele");
    await send(merchant, "add");
    expect(await page.locator(".mistake").allInnerTexts()).toEqual([
      text("settings.words.required"),
      text("settings.storefront.ruleForm.mistakes.editionSize"),
    ]);
    expect(await page.locator("input[name=selector][value=sku]").isChecked()).toBe(true);
    if (!("javaScriptEnabled" in options)) await merchant.inspect(`storefront-mistakes-${name}-${language}`);
    await page.locator("#add-value").fill("AJ-*");
    await page.locator("#add-edition").fill("100");
    await page.locator("#add-days").fill("365");
    await page.locator("#add-since").fill("2026-03-14");
    await send(merchant, "add");
    expect(await notice(merchant)).toBe(text("settings.storefront.rule.done.added"));
    expect(await rulesOf()).toMatchObject([
      { name: "sku-aj-1", selector: RuleSelector.SKU, value: "AJ-*", editionTotal: 100, validDays: 365 },
    ]);
    await deliver("orders/paid", orderPayload({ name: "#1001" }));
    await expect.poll(async () => (await listAll(registry, storeId)).length).toBe(1);
    expect((await listAll(registry, storeId))[0]).toMatchObject({
      status: "active",
      order: { name: "#1001" },
      product: { sku: "AJ-M" },
      edition: { number: 1, total: 100 },
      owner: { name: "Ada Example", email: "ada@example.test" },
    });
    await merchant.open("/certificates?q=%231001");
    expect(await page.locator(".rows > li").count()).toBe(1);
    expect(await page.locator(".rows > li").innerText()).toContain("Alpine Jacket");
    await merchant.open("");
    const health = page.locator(".panel").last();
    expect(await health.locator(".badge.good").innerText()).toBe(text("settings.storefront.states.works"));
    expect(merchant.problems).toEqual([]);
  });

  test("removes with one click a rule below another one for the same products", async () => {
    const { storeId, rulesOf } = await openShop();
    const rules = ["art", "art-2"].map((name) => ({ name, selector: RuleSelector.TAG, value: "art" }));
    await registry.storefront.setStorefrontRules({ rules }, inStore(storeId));
    const merchant = await signIn(rig, browser, storeId, options);
    await merchant.open("/storefront");
    const covered = merchant.page.locator(".rows > li", { has: merchant.page.locator(".badge.bad") });
    await covered.getByRole("button", { name: text("settings.storefront.rule.remove"), exact: true }).click();
    await merchant.page.locator(".banner.good").waitFor();
    expect((await rulesOf()).map((rule) => rule.name)).toEqual(["art"]);
  });

  test("changes, reorders and removes rules, and finds each action in the history", async () => {
    const { storeId, rulesOf } = await openShop();
    const since = { seconds: 1_900_000_000n };
    const rules = [
      { name: "all", selector: RuleSelector.ALL, since },
      { name: "art", selector: RuleSelector.TAG, value: "art", editionTotal: 10, since },
    ];
    await registry.storefront.setStorefrontRules({ rules }, inStore(storeId));
    const merchant = await signIn(rig, browser, storeId, options);
    const { page } = merchant;
    await merchant.open("/storefront");
    expect(await page.locator(".badge.bad").innerText()).toBe(text("settings.storefront.rule.never"));
    if (!("javaScriptEnabled" in options)) await merchant.inspect(`storefront-covered-${name}-${language}`);
    await send(merchant, "raise");
    expect(await notice(merchant)).toBe(text("settings.storefront.rule.done.moved"));
    expect(await page.locator(".badge.bad").count()).toBe(0);
    expect((await rulesOf()).map((rule) => rule.name)).toEqual(["art", "all"]);
    await page
      .getByRole("link", { name: text("settings.storefront.rule.change") })
      .first()
      .click();
    await page.waitForURL(/\/storefront\/rules\/art$/);
    expect(await page.locator("#change-value").inputValue()).toBe("art");
    await page.locator("input[name=numbering][value=shared]").check();
    await page.locator("#change-edition").fill("２５０");
    await send(merchant, "change");
    expect(await notice(merchant)).toBe(text("settings.storefront.rule.done.changed"));
    expect((await rulesOf())[0]).toMatchObject({
      name: "art",
      value: "art",
      editionTotal: 250,
      numbering: RuleNumbering.SHARED,
      since,
    });
    await send(merchant, "remove");
    expect((await rulesOf()).map((rule) => rule.name)).toEqual(["all"]);
    const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
    const changes = entries.filter(({ action }) => action === "storefront_rules.set");
    expect(changes.map(({ actor }) => actor).slice(0, 3)).toEqual(Array(3).fill("Ada Lovelace"));
    await merchant.open("/history");
    expect(await page.locator(".rows > li").first().innerText()).toContain(
      text("settings.history.actions.storefront_rules_set"),
    );
  });

  test("cannot overwrite rules that another person has since changed, and does not lose the entered values", async () => {
    const { storeId, rulesOf } = await openShop();
    const merchant = await signIn(rig, browser, storeId, options);
    const { page } = merchant;
    await merchant.open("/storefront");
    await page.locator("input[name=selector][value=tag]").check();
    await page.locator("#add-value").fill("限定");
    await registry.storefront.setStorefrontRules(
      { rules: [{ name: "all", selector: RuleSelector.ALL }] },
      inStore(storeId),
    );
    await send(merchant, "add");
    expect(await refusal(merchant)).toContain(text("settings.storefront.ruleForm.changedMeanwhile"));
    expect((await rulesOf()).map((rule) => rule.name)).toEqual(["all"]);
    expect(await page.locator("#add-value").inputValue()).toBe("限定");
    if (!("javaScriptEnabled" in options)) await merchant.inspect(`storefront-conflict-${name}-${language}`);
    await send(merchant, "add");
    expect(await notice(merchant)).toBe(text("settings.storefront.rule.done.added"));
    expect((await rulesOf()).map((rule) => rule.name)).toEqual(["tag-2", "all"]);
  });

  test("sees the problems, retries a failed order, and downloads the report for a customer's data request", async () => {
    const { storeId, deliver } = await openShop();
    await registry.storefront.setStorefrontRules(
      {
        rules: [{ name: "all", selector: RuleSelector.ALL, since: { seconds: 0n } }],
      },
      inStore(storeId),
    );
    const unknownBuyer = { customer: null, email: null, contact_email: null, billing_address: null };
    await deliver("orders/paid", orderPayload({ name: "#1002", ...unknownBuyer }));
    await deliver("orders/updated", { id: "odd" });
    const customer = { email: "ada@example.test" };
    await deliver("customers/data_request", { shop_id: 1, customer, orders_requested: [], data_request: { id: 1 } });
    const problemsOf = async () =>
      (await registry.storefront.listStorefrontProblems({}, inStore(storeId))).problems.length;
    // The new rules make all orders due, so the failed order is added when that is done: it must stay as it is.
    await expect.poll(problemsOf).toBe(2);
    await registry.database.collections.storefrontOrders.insertOne({
      _id: `${storeId}/77`,
      store: storeId,
      name: "#1003",
      customer: "",
      orderedAt: new Date(),
      changedAt: new Date(),
      record: '{"order":null,"refunds":[]}',
      version: 1,
      notes: [],
      unmatchedProducts: [],
      attempts: 6,
      failure: reason("internal_error"),
    });
    expect(await problemsOf()).toBe(3);
    const merchant = await signIn(rig, browser, storeId, options);
    const { page } = merchant;
    const row = page
      .locator(".panel")
      .last()
      .locator("li", { hasText: text("settings.storefront.states.attention") });
    expect(await row.innerText()).toContain(text("settings.storefront.problemList.count", { count: "3" }));
    await row.getByRole("link").last().click();
    await page.waitForURL(/\/storefront\/problems$/);
    expect((await page.locator(".badge").allInnerTexts()).toSorted()).toEqual(
      [
        text("settings.storefront.problemList.failed"),
        text("settings.storefront.problemList.failed"),
        text("settings.storefront.problemList.look"),
      ].toSorted(),
    );
    await send(merchant, "retry");
    expect(await notice(merchant)).toBe(text("settings.storefront.problemList.retried"));
    await expect.poll(problemsOf).toBe(2);
    const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
    expect(entries[0]).toMatchObject({ action: "storefront.retried", actor: "Ada Lovelace", details: { count: "1" } });
    await merchant.open("/storefront/requests");
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(".rows a").click()]);
    expect(download.suggestedFilename()).toBe("customer-data.json");
    const report: unknown = JSON.parse(await textOf(await download.createReadStream()));
    expect(report).toMatchObject({ email: "ada@example.test", certificates: [] });
  });
});

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
