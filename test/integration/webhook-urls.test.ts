import { expect, test } from "vitest";
import { SecretRole, WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { refusedHosts } from "#shared/address-guard/refused-hosts-fixture.ts";
import { reason } from "#shared/reasons/reason.ts";
import { startListener } from "../../services/notifier/webhook/listener-fixture.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { startLocalNotifier } from "../harness/local-notifier.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createStoreWithWebhook, createTestStore, testWebhookUrl } from "../harness/test-stores.ts";

const messages = await startTestNats();
const registry = await openTestRegistry({ natsUrl: messages.url, env: { REGISTRY_ALLOWED_NETWORKS: "" } });
/** Shares the database of `registry`, but allows webhook URLs with 127.0.0.1. */
const lenient = await openTestRegistry({ natsUrl: messages.url, database: registry.database });
const { stores, deliveries } = registry.database.collections;

const urlOf = async (storeId: string) => (await stores.findOne({ _id: storeId }))?.webhook?.url;

test("rejects URLs with a blocked host and keeps the current URL", async () => {
  const { storeId } = await createStoreWithWebhook(registry);
  for (const [host, words] of refusedHosts) {
    const refusal = await refusalOf(registry.admin.setWebhook({ url: `https://${host}/` }, inStore(storeId)));
    expect(refusal, host).toEqual({
      code: "bad_request",
      field: "url",
      message: `url is invalid: The URL uses ${words}.`,
    });
  }
  expect(await urlOf(storeId)).toBe(testWebhookUrl);
});

test("describes the problem with a URL in one sentence", async () => {
  const storeId = await createTestStore(registry);
  for (const [url, message] of [
    ["example.com/hook", "url is invalid: The URL does not begin with https://. Enter an https:// address."],
    ["https://example.com:0/", "url is invalid: The URL uses port 0; use a port from 1 to 65535."],
    ["https://example.com:65536/", "url is invalid: The URL uses port 65536; use a port from 1 to 65535."],
  ] as const)
    expect(await refusalOf(registry.admin.setWebhook({ url }, inStore(storeId)))).toMatchObject({ message });
});

test("accepts a URL in an allowed network and still rejects other non-public addresses", async () => {
  const { storeId } = await createStoreWithWebhook(lenient, { url: "https://127.0.0.1:8443/" });
  expect(await urlOf(storeId)).toBe("https://127.0.0.1:8443/");
  const refusal = await refusalOf(lenient.admin.setWebhook({ url: "https://127.0.0.2:8443/" }, inStore(storeId)));
  expect(refusal.message).toBe(
    "url is invalid: The URL uses a non-public address (loopback); use a host that is reachable from the internet.",
  );
});

test("blocks a delivery to a URL that was saved under more permissive rules, and records the reason", async ({
  onTestFinished,
}) => {
  const listener = await startListener();
  onTestFinished(() => listener.stop());
  const storeId = await createTestStore(lenient);
  await lenient.admin.setWebhook({ url: `https://127.0.0.1:${listener.port}/` }, inStore(storeId));
  const place = { address: registry.address, natsUrl: messages.url };
  const notifier = await startLocalNotifier(place, { NOTIFIER_ALLOWED_NETWORKS: "" });
  onTestFinished(notifier.stop);
  await registry.issuing.issueCertificates({ items: [issueItem()] }, inStore(storeId));
  const outcome = await eventually(async () => {
    const found = await deliveries.findOne({ store: storeId });
    expect(found?.outcome).toBeTruthy();
    return found?.outcome;
  });
  expect(outcome).toMatchObject({
    kind: "blocked",
    reason: reason("url_address_not_public", { kind: "loopback" }),
  });
  expect(listener.acceptedOn).toEqual([]);
});

test("keeps both of two concurrent changes to different fields of a webhook", async () => {
  const url = testWebhookUrl;
  for (let round = 0; round < 5; round++) {
    const { storeId } = await createStoreWithWebhook(registry);
    await Promise.all([
      registry.admin.setWebhook({ url, format: WebhookFormat.V1 }, inStore(storeId)),
      lenient.admin.setWebhook({ url, createSecret: true }, inStore(storeId)),
    ]);
    const { webhook } = await registry.admin.getWebhook({}, inStore(storeId));
    expect(webhook).toMatchObject({ url, format: WebhookFormat.V1, secrets: [{ role: SecretRole.ACTIVE }] });
  }
});
