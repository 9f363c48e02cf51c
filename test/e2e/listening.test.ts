import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { ErasureKind } from "#gen/registry/v1/person_service_pb.js";
import { generateListenToken } from "#shared/keys/listen-token.ts";
import { readMessages, sendSample } from "../../services/client/listen/listen-api.ts";
import { verifyWebhook } from "../../services/client/webhooks/verify-webhook.ts";
import { certctlVariables } from "../harness/certctl-variables.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { openListeningStack, startListener, startLocalServer } from "../harness/local-listener.ts";
import { pagesOf } from "../harness/pages-of.ts";
import { pathOf } from "../harness/receiver/behaviour.ts";
import { receivedMessages } from "../harness/receiver/received-messages.ts";
import { runCertctlWith } from "../harness/run-certctl.ts";
import { partOf } from "../harness/stack/start-stack.ts";
import { createTestStore } from "../harness/test-stores.ts";

const stack = await openListeningStack();
const registry = partOf(stack.registries);
const baseUrls = stack.edges.map(({ url }) => url);
const [baseUrl = "", otherUrl = ""] = baseUrls;

async function newToken(storeId: string) {
  const { tokens } = await registry.admin.listListenTokens({}, inStore(storeId));
  const created = await registry.admin.createListenToken({}, inStore(storeId));
  const after = await registry.admin.listListenTokens({}, inStore(storeId));
  const tokenId = after.tokens.find((one) => tokens.every((known) => known.tokenId !== one.tokenId))?.tokenId ?? "";
  return { ...created, tokenId };
}

test("a listener receives the message that the store's own receiver receives, byte for byte, signed with the token's secret", async () => {
  const storeId = await createTestStore(registry);
  const url = `${stack.receiver.url}${pathOf("answers", "same")}`;
  const { secret } = await registry.admin.setWebhook({ url, createSecret: true }, inStore(storeId));
  const { token, signingSecret } = await newToken(storeId);
  const local = await startLocalServer();
  const listener = startListener(baseUrl, token, local.url);
  await listener.ready;
  const certificateId = await issueOne(registry, storeId, { buyer: { name: "Zoë 🎨" } });
  await eventually(async () => expect(local.received).toHaveLength(1));
  const [copy] = local.received;
  const own = await eventually(async () => {
    const found = receivedMessages(await stack.receiver.requests(), secret).filter(
      ({ message }) => message.certificate.id === certificateId,
    );
    expect(found).toHaveLength(1);
    return found[0];
  });
  expect(copy?.body).toBe(own?.body);
  expect(copy?.headers["x-service-delivery"]).toBe(own?.deliveryId);
  expect(copy?.headers).toMatchObject({
    "content-type": "application/json",
    "user-agent": "certificate-registry-notifier",
  });
  expect(await verifyWebhook(copy?.body ?? "", copy?.headers, signingSecret)).toBe(true);
  expect(await verifyWebhook(copy?.body ?? "", copy?.headers, secret)).toBe(false);
  expect(listener.messages).toMatchObject([{ event: "issued", certificateId, status: 204, problem: undefined }]);
});

test("trigger sends each of the six events, signed and marked as a test, only to the listeners of its token", async () => {
  const storeId = await createTestStore(registry);
  const [one, other] = [await newToken(storeId), await newToken(storeId)];
  const local = await startLocalServer();
  const listener = startListener(baseUrl, one.token, local.url);
  const bystander = startListener(otherUrl, other.token);
  await Promise.all([listener.ready, bystander.ready]);
  const events = ["issued", "verified", "transferred", "reported", "revoked", "reactivated"];
  for (const event of events) await sendSample({ baseUrl, token: one.token }, event);
  await eventually(async () => expect(local.received).toHaveLength(6));
  for (const { headers, body } of local.received) {
    expect(await verifyWebhook(body, headers, one.signingSecret)).toBe(true);
    expect(headers).toMatchObject({ "x-service-test": "true", "x-service-delivery": expect.stringMatching(/^tst_/) });
    expect(JSON.parse(body).certificate.id).toMatch(/^smp_/);
  }
  expect(local.received.map(({ body }) => JSON.parse(body).event)).toEqual(events);
  expect(JSON.parse(local.received[4]?.body ?? "{}").certificate.status).toBe("revoked");
  // A later event reaches both, so the other token's listener has seen everything before it.
  const certificateId = await issueOne(registry, storeId);
  await eventually(async () => expect(bystander.messages).toHaveLength(1));
  expect(bystander.messages[0]?.certificateId).toBe(certificateId);
  expect(bystander.notes).toEqual([]);
  const { outbox, deliveries } = stack.collections;
  await eventually(async () => expect(await outbox.countDocuments({ store: storeId })).toBe(0));
  expect(await deliveries.countDocuments({ store: storeId })).toBe(1);
  await expect(sendSample({ baseUrl, token: one.token }, "deleted")).rejects.toMatchObject({ code: "bad_request" });
});

test("a listener sees no event of another store, and none from before it connected", async () => {
  const [mine, others] = [await createTestStore(registry), await createTestStore(registry)];
  const { token } = await newToken(mine);
  await newToken(others);
  await issueOne(registry, mine);
  const listener = startListener(baseUrl, token);
  await listener.ready;
  await issueOne(registry, others);
  const certificateId = await issueOne(registry, mine);
  await eventually(async () => expect(listener.messages.length).toBeGreaterThan(0));
  expect(listener.messages.map((message) => message.certificateId)).toEqual([certificateId]);
});

test("a revoked token ends its listeners on every replica, and is unknown afterwards", async () => {
  const storeId = await createTestStore(registry);
  const { token, tokenId } = await newToken(storeId);
  const listeners = baseUrls.map((url) => startListener(url, token));
  await Promise.all(listeners.map(({ ready }) => ready));
  await registry.admin.revokeListenToken({ tokenId }, inStore(storeId));
  for (const { ended } of listeners)
    expect(await ended).toMatchObject({
      status: 401,
      code: "unauthorized",
      message: expect.stringContaining("revoked"),
    });
  await issueOne(registry, storeId);
  expect(await stack.collections.listenMessages.countDocuments({ store: storeId })).toBe(0);
  for (const url of baseUrls)
    await expect(readMessages({ baseUrl: url, token }, undefined)).rejects.toMatchObject({ code: "unauthorized" });
});

test("a request that waits for messages is answered with 401 once its token is revoked, on every replica", async () => {
  const storeId = await createTestStore(registry);
  const revokeWhilePending = async () => {
    const { token, tokenId } = await newToken(storeId);
    const { next } = await readMessages({ baseUrl, token }, undefined);
    const statusOf = async (url: string) => {
      const headers = { Authorization: `Bearer ${token}` };
      return (await fetch(`${url}/v1/listen?after=${next}`, { headers })).status;
    };
    // A token has two places per replica: once a third request is refused, the other two wait.
    const requests = baseUrls.map((url) => [statusOf(url), statusOf(url), statusOf(url)]);
    expect(await Promise.all(requests.map((ofReplica) => Promise.race(ofReplica)))).toEqual(baseUrls.map(() => 429));
    await registry.admin.revokeListenToken({ tokenId }, inStore(storeId));
    const statuses = await Promise.all(requests.map((ofReplica) => Promise.all(ofReplica)));
    expect(statuses.map((ofReplica) => ofReplica.toSorted())).toEqual(baseUrls.map(() => [401, 401, 429]));
  };
  // On a machine that stands still, a wait can end by itself, after 20 s, before the token is revoked.
  await eventually(revokeWhilePending);
});

test("reports to a listener how many messages it missed when more happen than are kept", async () => {
  const storeId = await createTestStore(registry);
  const { token } = await newToken(storeId);
  const { next } = await readMessages({ baseUrl, token }, undefined);
  await issueOne(registry, storeId);
  const { listenMessages, stores } = stack.collections;
  // As if 2,000 further messages had replaced each other.
  await listenMessages.updateOne({ store: storeId }, { $set: { number: next + 2_001 } });
  await stores.updateOne({ _id: storeId }, { $set: { listened: next + 2_001 } });
  const page = await readMessages({ baseUrl, token }, next);
  expect(page).toMatchObject({ missed: 2_000, next: next + 2_001 });
  expect(page.messages).toHaveLength(1);
});

test("an erasure deletes a person's copies for listeners, who learn what they missed; its search finds later ones", async () => {
  const storeId = await createTestStore(registry);
  const { token } = await newToken(storeId);
  const { next } = await readMessages({ baseUrl, token }, undefined);
  await issueOne(registry, storeId, { buyer: { email: "zoe@example.test" } });
  const { listenMessages } = stack.collections;
  const copy = await listenMessages.findOne({ store: storeId });
  const erase = async (dryRun: boolean) => {
    let copies = 0;
    const take = (pageToken: string) =>
      registry.persons.erasePerson({ email: "zoe@example.test", dryRun, pageToken }, inStore(storeId));
    for await (const { kind, count } of pagesOf(take)) if (kind === ErasureKind.LISTEN_MESSAGES) copies += count;
    return copies;
  };
  expect(await erase(false)).toBe(1);
  expect(await listenMessages.countDocuments({ store: storeId })).toBe(0);
  expect(await readMessages({ baseUrl, token }, next)).toMatchObject({ messages: [], missed: 1, next: next + 1 });
  // As if the certificate had changed just before it was erased, behind the deletion.
  if (copy !== null) await listenMessages.insertOne(copy);
  expect(await erase(true)).toBe(1);
  expect(await erase(false)).toBe(1);
  expect(await erase(true)).toBe(0);
});

test("a token has two listeners per replica and a limited number of requests; a store has five tokens", async () => {
  const storeId = await createTestStore(registry);
  const { token } = await newToken(storeId);
  const headers = { Authorization: `Bearer ${token}` };
  const { next } = await readMessages({ baseUrl, token }, undefined);
  const leave = new AbortController();
  // More than a token may send at once, and few enough that all are answered before the two that wait.
  const waiting = Array.from({ length: 50 }, () =>
    fetch(`${baseUrl}/v1/listen?after=${next}`, { headers, signal: leave.signal }).then(
      ({ status, headers: of }) => (status === 429 ? Number(of.get("retry-after")) : status),
      () => "waiting",
    ),
  );
  const refused = await eventually(async () => {
    const settled = await Promise.all(waiting.map((one) => Promise.race([one, delay(500, "pending")])));
    // The wait can have ended.
    const isPlace = (one: unknown) => one === "pending" || one === 200;
    expect(settled.filter(isPlace)).toHaveLength(2);
    return settled.filter((one) => !isPlace(one));
  });
  // A listener too many stays away for longer than one that asks too often.
  expect(refused).toContain(15);
  expect(refused.every((one) => typeof one === "number" && one >= 1 && one <= 20)).toBe(true);
  leave.abort();
  await Promise.all(waiting);
  for (let count = 1; count < 5; count++) await newToken(storeId);
  await expect(registry.admin.createListenToken({}, inStore(storeId))).rejects.toMatchObject({
    message: expect.stringContaining("5 listen tokens"),
  });
});

test.each([
  ["no token", {}, "", 401, "listen token"],
  ["an API key", { Authorization: `Bearer crk_${"0".repeat(38)}` }, "", 401, "listen token"],
  ["an unknown token", { Authorization: `Bearer ${generateListenToken()}` }, "", 401, "listen token"],
  ["a position that is not a number", { Authorization: `Bearer ${generateListenToken()}` }, "?after=-1", 400, "after"],
  ["an unknown parameter", { Authorization: `Bearer ${generateListenToken()}` }, "?since=1", 400, "since"],
])("refuses a request with %s, and names what is wrong", async (_name, headers, query, status, named) => {
  const response = await fetch(`${baseUrl}/v1/listen${query}`, { headers });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ message: expect.stringContaining(named) });
});

test("certctl creates a token, triggers an event and prints a line for it", async () => {
  const storeId = await createTestStore(registry);
  const variables = certctlVariables(stack.secrets.grpc?.operator);
  const created = await runCertctlWith(
    variables,
    "--registry",
    registry.address,
    "--store",
    storeId,
    "webhook",
    "token",
  );
  expect(created.error).toMatch(/messages will be signed with crs_/);
  const token = created.out.trim();
  const listener = startListener(baseUrl, token);
  await listener.ready;
  const listening = { REGISTRY_URL: baseUrl, REGISTRY_LISTEN_TOKEN: token };
  const triggered = await runCertctlWith(listening, "webhook", "trigger", "revoked");
  expect(triggered).toMatchObject({ code: 0, out: expect.stringMatching(/^tst_\w+\n$/) });
  await eventually(async () => expect(listener.messages).toMatchObject([{ event: "revoked" }]));
  const refused = await runCertctlWith({ ...listening, REGISTRY_LISTEN_TOKEN: "crl_1" }, "webhook", "listen");
  expect(refused).toMatchObject({
    code: 4,
    error: expect.stringContaining("Create a new one in the store's settings"),
  });
  const wrong = await runCertctlWith(listening, "webhook", "listen", "--forward-to", "localhost:3000");
  expect(wrong).toMatchObject({ code: 2, error: expect.stringContaining("localhost:3000 is not a URL") });
});
