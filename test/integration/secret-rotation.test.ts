import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, type TestContext, test } from "vitest";
import { RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { createLogger } from "#shared/observe/logger.ts";
import { makeServerCertificate } from "../../deploy/local/certificates/self-signed.ts";
import { isGenuine } from "../../deploy/receivers/verify-signature.mjs";
import { run as runNotifier } from "../../services/notifier/run.ts";
import { type ReceivedRequest, startReceiverFixture } from "../../services/notifier/webhook/receiver-fixture.ts";
import { eventually } from "../harness/eventually.ts";
import { issueOne } from "../harness/issue-items.ts";
import { localNotifierConfig } from "../harness/local-notifier.ts";
import { startTestRegistry } from "../harness/registry-fixture.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createTestStore } from "../harness/test-stores.ts";

const folder = await mkdtemp(join(tmpdir(), "secret-rotation-"));
afterAll(() => rm(folder, { recursive: true }));
const certificate = await makeServerCertificate();
await writeFile(join(folder, "ca.pem"), certificate.caPem);
const messages = await startTestNats();
afterAll(() => messages.close());
const registry = await startTestRegistry({ natsUrl: messages.url });
afterAll(() => registry.stop());
const place = { address: registry.address, natsUrl: messages.url };
const config = localNotifierConfig(place, { NOTIFIER_EXTRA_CA_FILE: join(folder, "ca.pem") });
const notifier = await runNotifier(config, createLogger("notifier", "silent"));
afterAll(() => notifier.stop());

function headersOf({ head }: ReceivedRequest): Record<string, string> {
  const lines = head.split("\r\n").slice(1);
  return Object.fromEntries(lines.map((line) => [line.split(": ")[0]?.toLowerCase(), line.split(": ")[1]]));
}

/** The signatures that a receiver verifies: all headers shown in deploy/receivers, or the mandatory one only. */
type Verifies = "all signatures" | "only X-Service-Signature";

const accepts = (request: ReceivedRequest, verifies: Verifies, secrets: readonly string[]) => {
  const headers = headersOf(request);
  const active = { "x-service-signature": headers["x-service-signature"] };
  return isGenuine(request.body, verifies === "all signatures" ? headers : active, secrets);
};

/** A store under constant change, and a receiver that refuses messages not signed with a secret it knows. */
async function openRig({ onTestFinished }: TestContext, verifies: Verifies) {
  let known: readonly string[] = [];
  const statuses: number[] = [];
  /** The certificates in order of issue, and those whose messages were received. */
  const issued: string[] = [];
  const received = new Set<string>();
  const receiver = await startReceiverFixture(certificate, (socket, request) => {
    const status = accepts(request, verifies, known) ? 204 : 401;
    statuses.push(status);
    received.add(JSON.parse(request.body.toString()).certificate.id);
    socket.end(`HTTP/1.1 ${status} X\r\n\r\n`);
  });
  onTestFinished(() => receiver.stop());
  const storeId = await createTestStore(registry);
  const url = `https://127.0.0.1:${receiver.port}/`;
  const { secret: old } = await registry.admin.setWebhook({ storeId, url, createSecret: true });
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
  /** Waits until all messages of earlier states and some of the current state are received. */
  const messagesFlow = async () => {
    const count = issued.length + 4;
    const missing = () => issued.slice(0, count).filter((id) => !received.has(id));
    // Not by count: a message of an earlier state may be overtaken by several of the current one.
    await eventually(() => expect([issued.length >= count, missing()]).toEqual([true, []]), {
      withinMs: 30_000,
    });
  };
  return {
    old,
    know: (...secrets: string[]) => {
      known = secrets;
    },
    messagesFlow,
    step: (step: RotationStep) => registry.admin.rotateWebhookSecret({ storeId, step }),
    /** Stops the changes. @returns every message with its reply */
    finish: async () => {
      stopping.abort();
      await issuing;
      await eventually(() => expect(statuses).toHaveLength(issued.length), { withinMs: 30_000 });
      return { requests: receiver.requests, statuses: new Set(statuses) };
    },
  };
}

const { BEGIN, SWITCH, FINISH } = RotationStep;

interface Row {
  readonly receiver: string;
  readonly verifies: Verifies;
  /** The secrets it knows after each step, once the messages of earlier states are received. */
  readonly knows: Readonly<Record<"begun" | "switched", readonly ("old" | "new")[]>>;
}

const all = "all signatures";
const one = "only X-Service-Signature";

test.concurrent.for<Row>([
  {
    receiver: "knows both secrets for a while",
    verifies: all,
    knows: { begun: ["old", "new"], switched: ["new"] },
  },
  {
    receiver: "knows only the new secret once it exists",
    verifies: all,
    knows: { begun: ["new"], switched: ["new"] },
  },
  {
    receiver: "knows only the old secret until the end",
    verifies: all,
    knows: { begun: ["old"], switched: ["old"] },
  },
  {
    receiver: "knows both secrets for a while",
    verifies: one,
    knows: { begun: ["new", "old"], switched: ["new"] },
  },
])(
  "a receiver that verifies $verifies and $receiver accepts every message of a rotation",
  async ({ verifies, knows }, context) => {
    const { old, know, messagesFlow, step, finish } = await openRig(context, verifies);
    await messagesFlow();
    const { secret: newSecret } = await step(BEGIN);
    const texts = { old, new: newSecret };
    await messagesFlow();
    know(...knows.begun.map((name) => texts[name]));
    await messagesFlow();
    await step(SWITCH);
    await messagesFlow();
    know(...knows.switched.map((name) => texts[name]));
    await messagesFlow();
    know(newSecret);
    await step(FINISH);
    await messagesFlow();
    const { requests, statuses } = await finish();
    expect(statuses).toEqual(new Set([204]));

    // Every message is signed: with the old secret, then with both, then with the new one.
    const signedBy = requests.map((request) =>
      [old, newSecret].map((secret) => accepts(request, all, [secret])).join(),
    );
    expect(new Set(signedBy)).toEqual(new Set(["true,false", "true,true", "false,true"]));
  },
);

test.concurrent("delays messages while a secret is unreadable and then sends them signed", async (context) => {
  const receiver = await startReceiverFixture(certificate, (socket) => {
    socket.end("HTTP/1.1 204 X\r\n\r\n");
  });
  context.onTestFinished(() => receiver.stop());
  const storeId = await createTestStore(registry);
  const url = `https://127.0.0.1:${receiver.port}/`;
  const { secret } = await registry.admin.setWebhook({ storeId, url, createSecret: true });
  const { stores, deliveries } = registry.database.collections;
  const stored = await stores.findOne({ _id: storeId });
  await stores.updateOne({ _id: storeId }, { $set: { "webhook.secret": "lost" } });
  await issueOne(registry, storeId);
  const nak = 'notifier_messages_nak_total{cause="secret_unreadable"} 1';
  const metrics = async () => (await fetch(`http://127.0.0.1:${notifier.operationsPort}/metrics`)).text();
  await eventually(async () => expect(await metrics()).toContain(nak), { withinMs: 20_000 });
  expect(receiver.requests).toEqual([]);
  expect(await deliveries.countDocuments({ store: storeId })).toBe(0);
  await stores.updateOne({ _id: storeId }, { $set: { webhook: stored?.webhook ?? null } });
  await eventually(() => expect(receiver.requests).toHaveLength(1), { withinMs: 25_000 });
  const [request] = receiver.requests;
  expect(request && accepts(request, one, [secret])).toBe(true);
}, 60_000);
