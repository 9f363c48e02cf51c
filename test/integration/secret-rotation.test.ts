import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, type TestContext, test } from "vitest";
import { RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { createLogger } from "#shared/observe/logger.ts";
import { makeServerCertificate } from "../../deploy/local/receiver/self-signed.ts";
import { isGenuine } from "../../deploy/receivers/verify-signature.mjs";
import { run as runNotifier } from "../../services/notifier/run.ts";
import {
  type ReceivedRequest,
  startReceiverFixture,
} from "../../services/notifier/webhook/receiver-fixture.ts";
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

/** What a receiver looks at: every signature that deploy/receivers shows, or the one of the specification alone. */
type Looks = "at all signatures" | "at X-Service-Signature alone";

const accepts = (request: ReceivedRequest, looks: Looks, secrets: readonly string[]) => {
  const headers = headersOf(request);
  const active = { "x-service-signature": headers["x-service-signature"] };
  return isGenuine(request.body, looks === "at all signatures" ? headers : active, secrets);
};

/** A store under steady change, and its receiver, which refuses what the secrets that it knows did not sign. */
async function openStand({ onTestFinished }: TestContext, looks: Looks) {
  let known: readonly string[] = [];
  const statuses: number[] = [];
  /** The certificates, in the order of their issue, and those whose messages came. */
  const issued: string[] = [];
  const came = new Set<string>();
  const receiver = await startReceiverFixture(certificate, (socket, request) => {
    const status = accepts(request, looks, known) ? 204 : 401;
    statuses.push(status);
    came.add(JSON.parse(request.body.toString()).certificate.id);
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
  /** Waits until messages of the present state have come, and all of earlier states. */
  const flow = async () => {
    const wanted = issued.length + 4;
    const missing = () => issued.slice(0, wanted).filter((id) => !came.has(id));
    // Not their number: a message of an earlier state may be overtaken by several of this one.
    await eventually(() => expect([issued.length >= wanted, missing()]).toEqual([true, []]), {
      withinMs: 30_000,
    });
  };
  return {
    old,
    know: (...secrets: string[]) => {
      known = secrets;
    },
    flow,
    step: (step: RotationStep) => registry.admin.rotateWebhookSecret({ storeId, step }),
    /** Ends the changes. @returns every message and how it was answered */
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
  readonly looks: Looks;
  /** What it knows after each step, once messages of earlier states have come. */
  readonly knows: Readonly<Record<"begun" | "switched", readonly ("old" | "new")[]>>;
}

const all = "at all signatures";
const one = "at X-Service-Signature alone";

test.concurrent.for<Row>([
  {
    receiver: "knows both for a while",
    looks: all,
    knows: { begun: ["old", "new"], switched: ["new"] },
  },
  {
    receiver: "knows the new one alone as soon as there is one",
    looks: all,
    knows: { begun: ["new"], switched: ["new"] },
  },
  {
    receiver: "knows the old one alone until the last moment",
    looks: all,
    knows: { begun: ["old"], switched: ["old"] },
  },
  {
    receiver: "knows both for a while",
    looks: one,
    knows: { begun: ["new", "old"], switched: ["new"] },
  },
])(
  "a receiver that looks $looks and $receiver accepts every message of a rotation",
  async ({ looks, knows }, context) => {
    const { old, know, flow, step, finish } = await openStand(context, looks);
    await flow();
    const { secret: fresh } = await step(BEGIN);
    const texts = { old, new: fresh };
    await flow();
    know(...knows.begun.map((name) => texts[name]));
    await flow();
    await step(SWITCH);
    await flow();
    know(...knows.switched.map((name) => texts[name]));
    await flow();
    know(fresh);
    await step(FINISH);
    await flow();
    const { requests, statuses } = await finish();
    expect(statuses).toEqual(new Set([204]));

    // Never by neither: the old one, then both, then the new one.
    const signedBy = requests.map((request) =>
      [old, fresh].map((secret) => accepts(request, all, [secret])).join(),
    );
    expect(new Set(signedBy)).toEqual(new Set(["true,false", "true,true", "false,true"]));
  },
);

test.concurrent("while a secret cannot be opened its messages wait, and then come, signed", async (context) => {
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
