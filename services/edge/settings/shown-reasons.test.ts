import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ConnectRouter } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { TriggerDisabledCause } from "#gen/registry/v1/trigger_service_pb.js";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import type { Language } from "#shared/texts/languages.ts";
import { settingsServices } from "../registry-client/settings-services.ts";
import { deliveriesPage } from "./deliveries/page.ts";
import type { SettingsPage } from "./model/settings-page.ts";
import { overviewPage } from "./overview/page.ts";
import { triggerLogPage } from "./triggers/log-page.ts";
import { triggersPage } from "./triggers/page.ts";
import { visitFixture } from "./visit-fixture.ts";

const now = new Date("2026-11-22T10:00:00Z");
const url = "https://shop.example.test/hook";

/** Renders a page of a store whose webhook and trigger have failed with the given reason. */
async function render(page: SettingsPage, why: Reason | undefined, language: Language): Promise<string> {
  const outcome = {
    kind: OutcomeKind.CONNECTION_FAILED,
    ...(why && { reason: { ...why, params: { ...why.params } } }),
  };
  const answers = ({ service }: ConnectRouter) => {
    service(settingsServices.stores, {
      getStore: () => ({}),
      listApiKeys: () => ({}),
      getWebhook: () => ({ webhook: { url } }),
    });
    service(settingsServices.storefront, { getStorefront: () => ({}), listStorefrontProblems: () => ({}) });
    service(settingsServices.inspection, {
      findCertificates: () => ({}),
      listReports: () => ({}),
      listDeliveries: () => ({ deliveries: [{ eventId: "evt_1", claimedAt: timestampFromDate(now), outcome }] }),
    });
    service(settingsServices.triggers, {
      listTriggers: () => ({
        triggers: [
          { triggerId: "trg_1", url, disabledCause: TriggerDisabledCause.FAILING, disabledReason: outcome.reason },
        ],
      }),
      listTriggerDeliveries: () => ({ deliveries: [{ eventId: "evt_1", lastAttempt: outcome }] }),
    });
  };
  const view = await page.show?.(visitFixture(answers, { language, now }));
  return String(view?.content);
}

test.each([
  ["delivery log", deliveriesPage],
  ["trigger log", triggerLogPage],
  ["triggers", triggersPage],
  ["overview", overviewPage],
] as const)("the page %s shows a reason in the merchant's language, also one of a later version", async (_, page) => {
  const refused = reason("connection_refused", { error: "ECONNREFUSED" });
  expect(await render(page, refused, "de")).toContain(
    "<bdi>Der Empfänger hat die Verbindung abgelehnt (ECONNREFUSED). " +
      "Prüfen Sie, ob der Server läuft und ob der Port in der Webhook-URL stimmt.</bdi>",
  );
  expect(await render(page, refused, "en")).toContain(
    "<bdi>The receiver refused the connection (ECONNREFUSED). " +
      "Check that the server is running and that the webhook URL has the correct port.</bdi>",
  );
  const later = { code: "of_<tomorrow>", params: { error: "ECONNREFUSED" } };
  expect(await render(page, later, "de")).toContain(
    "<bdi>Für den Grund „of_&lt;tomorrow&gt;“ gibt es in dieser Version keinen Text.</bdi>",
  );
});

test("the delivery log omits a missing reason", async () => {
  expect(await render(deliveriesPage, undefined, "de")).not.toContain("Grund</dt>");
});
