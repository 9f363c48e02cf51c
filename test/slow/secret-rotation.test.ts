import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, type TestContext, test } from "vitest";
import { RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { isGenuine } from "../../deploy/receivers/verify-signature.mjs";
import type { ReceivedRequest } from "../../services/notifier/webhook/receiver-fixture.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { startLocalNotifier } from "../harness/local-notifier.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createStoreWithWebhook } from "../harness/test-stores.ts";
import { startReceiver, trustsReceivers } from "../integration/notifier-rig.ts";

const messages = await startTestNats();
const registry = await openTestRegistry({ natsUrl: messages.url });
const notifier = await startLocalNotifier({ address: registry.address, natsUrl: messages.url }, trustsReceivers);
afterAll(() => notifier.stop());

function headersOf({ head }: ReceivedRequest): Record<string, string> {
  const lines = head.split("\r\n").slice(1);
  return Object.fromEntries(lines.map((line) => [line.split(": ")[0]?.toLowerCase(), line.split(": ")[1]]));
}

/** The signature headers that a receiver checks: all three, as in deploy/receivers, or only the first. */
type Verifies = "all signatures" | "only X-Service-Signature";

const accepts = (request: ReceivedRequest, verifies: Verifies, secrets: readonly string[]) => {
  const headers = headersOf(request);
  const active = { "x-service-signature": headers["x-service-signature"] };
  return isGenuine(request.body, verifies === "all signatures" ? headers : active, secrets);
};

/** Issues certificates in a new store continuously, and starts a receiver that accepts the secrets given to `know`. */
async function openRig({ onTestFinished }: TestContext, verifies: Verifies) {
  let known: readonly string[] = [];
  const statuses: number[] = [];
  /** Certificate ids in order of issue; `received` has the ids whose messages have arrived. */
  const issued: string[] = [];
  const received = new Set<string>();
  const receiver = await startReceiver({ onTestFinished }, (socket, request) => {
    const status = accepts(request, verifies, known) ? 204 : 401;
    statuses.push(status);
    received.add(JSON.parse(request.body.toString()).certificate.id);
    socket.end(`HTTP/1.1 ${status} X\r\n\r\n`);
  });
  const webhook = { url: receiver.url, createSecret: true };
  const { storeId, secret: old } = await createStoreWithWebhook(registry, webhook);
  known = [old];
  const stopping = new AbortController();
  const issuing = (async () => {
    while (!stopping.signal.aborted) {
      issued.push(await issueOne(registry, storeId));
      await delay(15);
    }
  })();
  onTestFinished(() => {
    stopping.abort();
    return issuing;
  });
  /** Waits until all messages about the certificates issued so far and the next four have arrived. */
  const messagesFlow = async () => {
    const count = issued.length + 4;
    const missing = () => issued.slice(0, count).filter((id) => !received.has(id));
    // Compares ids, not counts: messages of later certificates may overtake an earlier message.
    await eventually(() => expect([issued.length >= count, missing()]).toEqual([true, []]));
  };
  return {
    old,
    know: (...secrets: string[]) => {
      known = secrets;
    },
    messagesFlow,
    step: (step: RotationStep) => registry.admin.rotateWebhookSecret({ step }, inStore(storeId)),
    /** Stops issuing and waits for all messages. @returns the messages and the distinct statuses of the responses */
    finish: async () => {
      stopping.abort();
      await issuing;
      await eventually(() => expect(statuses).toHaveLength(issued.length));
      return { requests: receiver.requests, statuses: new Set(statuses) };
    },
  };
}

const { BEGIN, SWITCH, FINISH } = RotationStep;

type Known = readonly ("old" | "new")[];
const all = "all signatures";

// The secrets that the receiver accepts once messages sent after BEGIN (`begun`) or SWITCH (`switched`) have arrived.
test.concurrent.for<[receiver: string, verifies: Verifies, begun: Known, switched: Known]>([
  ["accepts both secrets between BEGIN and SWITCH", all, ["old", "new"], ["new"]],
  ["accepts only the new secret after BEGIN", all, ["new"], ["new"]],
  ["accepts only the old secret until FINISH", all, ["old"], ["old"]],
  ["accepts both secrets between BEGIN and SWITCH", "only X-Service-Signature", ["new", "old"], ["new"]],
])(
  "a receiver that %s and checks %s accepts every message of a rotation",
  async ([, verifies, begun, switched], context) => {
    const { old, know, messagesFlow, step, finish } = await openRig(context, verifies);
    await messagesFlow();
    const { secret: newSecret } = await step(BEGIN);
    const texts = { old, new: newSecret };
    await messagesFlow();
    know(...begun.map((name) => texts[name]));
    await messagesFlow();
    await step(SWITCH);
    await messagesFlow();
    know(...switched.map((name) => texts[name]));
    await messagesFlow();
    know(newSecret);
    await step(FINISH);
    await messagesFlow();
    const { requests, statuses } = await finish();
    expect(statuses).toEqual(new Set([204]));

    // Messages are signed with the old secret before the rotation, with both during it, and with the new one after it.
    const signedBy = requests.map((request) =>
      [old, newSecret].map((secret) => accepts(request, all, [secret])).join(),
    );
    expect(new Set(signedBy)).toEqual(new Set(["true,false", "true,true", "false,true"]));
  },
);

test.concurrent("delays messages while a secret is unreadable and then sends them signed", async (context) => {
  const { requests, url } = await startReceiver(context, (socket) => {
    socket.end("HTTP/1.1 204 X\r\n\r\n");
  });
  const { storeId, secret } = await createStoreWithWebhook(registry, { url, createSecret: true });
  const { stores, deliveries } = registry.database.collections;
  const stored = await stores.findOne({ _id: storeId });
  await stores.updateOne({ _id: storeId }, { $set: { "webhook.secrets.active.text": "lost" } });
  await issueOne(registry, storeId);
  // Redelivered and returned again, for as long as the secret is unreadable.
  const nak = /^notifier_messages_nak_total\{cause="secret_unreadable"\} [1-9]/m;
  const metrics = async () => (await fetch(`http://127.0.0.1:${notifier.operationsPort}/metrics`)).text();
  await eventually(async () => expect(await metrics()).toMatch(nak));
  expect(requests).toEqual([]);
  expect(await deliveries.countDocuments({ store: storeId })).toBe(0);
  await stores.updateOne({ _id: storeId }, { $set: { webhook: stored?.webhook ?? null } });
  await eventually(() => expect(requests).toHaveLength(1));
  const [request] = requests;
  expect(request && accepts(request, "only X-Service-Signature", [secret])).toBe(true);
});
