import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { inStore } from "../harness/in-store.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { testWebhookUrl } from "../harness/test-stores.ts";
import { send, signIn } from "./merchant.ts";
import { openBrowser } from "./open-browser.ts";
import { viewports } from "./pages-in-browser.ts";

const rig = await sharedPagesRig();
const browser = await openBrowser();
const { registry } = rig;

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
    await merchant.close();
  },
);
