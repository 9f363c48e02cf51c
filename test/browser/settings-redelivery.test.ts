import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { testWebhookUrl } from "../harness/test-stores.ts";
import { variants } from "../harness/variants.ts";
import { notice, send, signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { viewports } from "./pages-in-browser.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();
const { registry } = rig;

/** Issues certificates, and settles the waiting messages of the store. */
async function refuseAll(storeId: string, count: number): Promise<void> {
  const items = Array.from({ length: count }, () => issueItem());
  await registry.issuing.issueCertificates({ items }, inStore(storeId));
  await settle(storeId, OutcomeKind.REFUSED);
}

async function settle(storeId: string, kind: OutcomeKind): Promise<void> {
  const waiting = await waitingEvents(registry.database, storeId);
  for (let from = 0; from < waiting.length; from += 100) {
    const part = waiting.slice(from, from + 100);
    const claims = part.map(({ id, certificateId, requestedBy }) => {
      return { eventId: id, storeId, certificateId, type: EventType.ISSUED, requestedBy };
    });
    await registry.notifier.claimDeliveries({ notifierId: "notifier-1", claims });
    await registry.notifier.recordOutcomes({
      outcomes: part.map(({ id }) => ({ eventId: id, kind, httpStatus: 503 })),
    });
  }
}

test.each(
  variants([
    ["phone", "de"],
    ["desktop", "ja"],
  ] as const),
)(
  "on a %s in %s, a merchant selects failed messages, reads how many they are, and sends their events again once",
  async (name, locale) => {
    const text = textsFor(locale);
    const storeId = await createPageStore(rig);
    await registry.admin.setWebhook({ url: testWebhookUrl }, inStore(storeId));
    await settle(storeId, OutcomeKind.DELIVERED);
    await refuseAll(storeId, 2);
    const merchant = await signIn(rig, browser, storeId, { ...viewports[name], locale });
    const { page } = merchant;
    await merchant.open("/deliveries");
    await page.locator("#filter-outcome").selectOption("failed");
    await page.locator("#filter-event").selectOption("issued");
    await Promise.all([page.waitForEvent("load"), page.locator("form.filter button").click()]);
    await send(merchant, "range");
    const question = await page.locator(".banner.warn").innerText();
    expect(question).toContain("2");
    expect(question).toContain(text("settings.words.events.issued"));
    const confirm = page.locator("form:has(input[name=action][value=range]) button");
    expect(await confirm.innerText()).toBe(text("settings.deliveries.sendNow"));
    expect(await waitingEvents(registry.database, storeId)).toEqual([]);
    await merchant.inspect(`redelivery-${name}-${locale}`);
    await send(merchant, "range");
    expect(await notice(merchant)).toBe(text("settings.deliveries.queued", { count: 2 }));
    const waiting = await waitingEvents(registry.database, storeId);
    expect(waiting.map(({ id, requestedBy }) => [id.slice(0, 4), requestedBy])).toEqual([
      ["agn_", "Ada Lovelace"],
      ["agn_", "Ada Lovelace"],
    ]);
    expect(await page.locator("#filter-outcome").inputValue()).toBe("failed");
    expect(merchant.problems).toEqual([]);
  },
);

test("a merchant continues a redelivery that has paused because too many messages wait", async () => {
  const text = textsFor("en");
  const storeId = await createPageStore(rig);
  await registry.admin.setWebhook({ url: testWebhookUrl }, inStore(storeId));
  await settle(storeId, OutcomeKind.DELIVERED);
  for (const count of [100, 100, 5]) await refuseAll(storeId, count);
  const merchant = await signIn(rig, browser, storeId, { ...viewports.desktop, locale: "en" });
  await merchant.open("/deliveries?outcome=failed");
  await send(merchant, "range");
  await send(merchant, "range");
  expect(await notice(merchant)).toBe(text("settings.deliveries.queued", { count: 200 }));
  const first = merchant.page.locator(".panel").first();
  expect(await first.innerText()).toContain(text("settings.deliveries.continueLead"));
  await merchant.inspect("redelivery-continued");
  await settle(storeId, OutcomeKind.REFUSED);
  await send(merchant, "range");
  expect(await notice(merchant)).toBe(text("settings.deliveries.queued", { count: 5 }));
  expect(await merchant.page.getByText(text("settings.deliveries.continueLead")).count()).toBe(0);
});

test("the log shows by itself that a message which was sent again has arrived", async () => {
  const storeId = await createPageStore(rig);
  await registry.admin.setWebhook({ url: testWebhookUrl }, inStore(storeId));
  await settle(storeId, OutcomeKind.DELIVERED);
  await refuseAll(storeId, 1);
  const merchant = await signIn(rig, browser, storeId, { ...viewports.phone, locale: "de" });
  const { page } = merchant;
  await merchant.open("/deliveries?outcome=failed");
  await send(merchant, "again");
  const arriving = page.getByText(textsFor("de")("settings.webhook.arriving"));
  await arriving.waitFor();
  await merchant.inspect();
  await settle(storeId, OutcomeKind.DELIVERED);
  await page.locator(".rows .badge.good").waitFor();
  expect(await arriving.count()).toBe(0);
  expect(merchant.problems).toEqual([]);
});

describe("a page that waits for a message stops with a link to look again", () => {
  async function openWaiting() {
    const storeId = await createPageStore(rig);
    await registry.admin.setWebhook({ url: testWebhookUrl }, inStore(storeId));
    const { deliveryId } = await registry.deliveries.sendTestMessage({}, inStore(storeId));
    const merchant = await signIn(rig, browser, storeId, { ...viewports.desktop, locale: "en" });
    await merchant.open(`/deliveries?id=${deliveryId}`);
    const look = merchant.page.locator("[data-without-script]");
    expect(await look.isVisible()).toBe(false);
    return { storeId, look, page: merchant.page };
  }

  test("if the result would replace entries of a form that has not been sent", async () => {
    const { storeId, look, page } = await openWaiting();
    await page.locator("#filter-outcome").selectOption("failed");
    await settle(storeId, OutcomeKind.DELIVERED);
    await look.waitFor();
    expect(await page.locator("#filter-outcome").inputValue()).toBe("failed");
    await look.getByRole("link").click();
    await page.locator(".rows .badge.good").waitFor();
  });

  test("if the page no longer exists", async () => {
    const { look, page } = await openWaiting();
    await page.evaluate("history.replaceState({}, '', '/settings/certificates/import/imp_unknown')");
    await look.waitFor();
  });
});

test.each([
  ["phone", "de", { ...viewports.phone, viewport: { width: 320, height: 700 } }],
  ["desktop", "en", viewports.desktop],
] as const)(
  "on a %s in %s, the page of the webhook shows by itself that a test message has arrived",
  async (name, language, options) => {
    const storeId = await createPageStore(rig);
    await registry.admin.setWebhook({ url: testWebhookUrl, createSecret: true }, inStore(storeId));
    const merchant = await signIn(rig, browser, storeId, { ...options, locale: language });
    const { page } = merchant;
    await merchant.open("/webhook");
    await send(merchant, "test");
    const arrival = page.locator("#arrival");
    expect(await arrival.innerText()).toContain(textsFor(language)("settings.webhook.arriving"));
    await merchant.inspect();
    const typed = `${testWebhookUrl}/typed`;
    await page.locator("#save-url").fill(typed);
    const [message] = await waitingEvents(registry.database, storeId);
    const eventId = message?.id ?? "";
    const claims = [{ eventId, storeId, certificateId: message?.certificateId ?? "", type: 1 }];
    await registry.notifier.claimDeliveries({ notifierId: "notifier-1", claims });
    const sentRequest = `Content-Type: application/json\nX-Service-Signature: sha256=${"0".repeat(64)}\n\n{"version":2}`;
    const reply = {
      httpStatus: 200,
      durationMs: 81,
      replyExcerpt: '{"ok":true}',
      reason: reason("delivered", { status: 200 }),
    };
    await registry.notifier.recordOutcomes({
      outcomes: [{ eventId, kind: OutcomeKind.DELIVERED, sentRequest, ...reply }],
    });
    await arrival.locator(".badge.good").waitFor();
    expect(await page.locator("#save-url").inputValue()).toBe(typed);
    const shown = await arrival.innerText();
    for (const part of ["X-Service-Signature: sha256=", '{"version":2}', '{"ok":true}', "81 ms"])
      expect(shown).toContain(part);
    await merchant.inspect(`test-message-${name}-${language}`);
    expect(merchant.problems).toEqual([]);
  },
);
