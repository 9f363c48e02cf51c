import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { integer } from "../../deploy/local/stack/command-line.ts";
import { eventually } from "../harness/eventually.ts";
import { freezeProcess } from "../harness/freeze-process.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { ListClient } from "../harness/list-client.ts";
import { pathOf } from "../harness/receiver/behaviour.ts";
import { partOf, startStack } from "../harness/stack/start-stack.ts";
import type { SupervisedProcess } from "../harness/supervisor/supervised-process.ts";
import { createTestStore } from "../harness/test-stores.ts";

// With OUTAGE_SECONDS=60, claims of deliveries expire during an outage.
const outageSeconds = integer(1, 600, "").default(5).parse(process.env.OUTAGE_SECONDS);
const timeout = 1_000 * outageSeconds + 240_000;
const patience = { withinMs: 120_000, everyMs: 250 };
const issuedBefore = 20;

const stack = await startStack({
  name: "outages",
  logLevel: "warn",
  registries: [{ env: { REGISTRY_RATE_LIMIT: "10000" } }, { env: { REGISTRY_RATE_LIMIT: "10000" } }],
  // The first one gives up before an outage ends; the second waits also on a busy machine.
  edges: [{}, { env: { EDGE_REGISTRY_TIMEOUT_MS: "30000" } }],
  notifiers: [{}],
  receiverSeed: 1,
  callTimeoutMs: 5_000,
});
afterAll(() => stack.close());

const { receiver, database, nats, collections } = stack;
if (receiver === undefined || database === undefined) throw new Error("the stack is incomplete");
const { url: receiverUrl, requests } = receiver;
const registry = partOf(stack.registries);
const registries = stack.registries.map(({ process }) => process);
const services = [...registries, ...stack.edges.map(({ process }) => process), partOf(stack.notifiers)];

let storeId: string;
let list: ListClient;
let patientList: ListClient;
/** Ids of the certificates issued so far. */
const issued: string[] = [];

beforeAll(async () => {
  storeId = await createTestStore(registry);
  const { apiKey } = await registry.admin.createApiKey({ label: "test" }, inStore(storeId));
  list = new ListClient(partOf(stack.edges).url, apiKey);
  patientList = new ListClient(partOf(stack.edges, 1).url, apiKey);
  await registry.admin.setWebhook({ url: `${receiverUrl}${pathOf("answers", "outages")}` }, inStore(storeId));
});

/** Makes one call. @param idempotencyKey the key of an earlier call repeats that call */
async function tryToIssue(count: number, idempotencyKey: string): Promise<void> {
  const items = Array.from({ length: count }, () => issueItem());
  const { results } = await registry.issuing.issueCertificates({ items, idempotencyKey }, inStore(storeId));
  issued.push(...results.map(({ certificateId }) => certificateId));
}

/** Issues certificates, also if the machine or the end of an outage delays a call beyond its limit. */
async function issue(count = 1): Promise<void> {
  const key = randomUUID();
  await eventually(() => tryToIssue(count, key), patience);
}

/** Waits until each certificate's message has been delivered. No message may arrive twice. */
async function untilAllDelivered(): Promise<void> {
  await eventually(async () => {
    const deliveries = await collections.deliveries.find().toArray();
    expect(deliveries.map(({ outcome }) => outcome?.kind)).toEqual(issued.map(() => "delivered"));
    expect(await collections.outbox.countDocuments()).toBe(0);
  }, patience);
  const received = (await requests()).map(({ body }) => JSON.parse(body.toString("utf8")).certificate.id);
  expect(received.toSorted()).toEqual(issued.toSorted());
}

/** Lists certificates until the outage has lasted long enough. @returns the distinct responses */
async function listDuringOutage(client = list): Promise<readonly string[]> {
  const responses = new Set<string>();
  for (const endAt = performance.now() + 1_000 * outageSeconds; performance.now() < endAt; await delay(100)) {
    const response = await client.fetch("limit=1");
    const { error } = JSON.parse(await response.text());
    responses.add(
      `${response.status} ${error} Retry-After: ${response.headers.get("retry-after")?.replace(/[1-5]/, "n")}`,
    );
  }
  return [...responses];
}

async function killed(process: SupervisedProcess) {
  await process.kill();
  return () => process.start();
}

async function frozen({ pid }: SupervisedProcess) {
  const freeze = await freezeProcess(pid);
  return async () => freeze[Symbol.dispose]();
}

async function stopped(processes: readonly SupervisedProcess[]) {
  await Promise.all(processes.map((process) => process.stop()));
  return async () => void (await Promise.all(processes.map((process) => process.start())));
}

const served = ["200 undefined Retry-After: undefined"];
const unavailable = ["503 unavailable Retry-After: n"];

test("while NATS is down, serves lists and accepts changes, and sends the messages about the changes afterwards", {
  timeout,
}, async () => {
  const pids = services.map(({ pid }) => pid);
  const recover = await killed(nats.process);
  await issue(issuedBefore);
  expect(await listDuringOutage(patientList)).toEqual(served);
  await issue();
  await recover();
  await issue();
  await untilAllDelivered();
  expect(services.map(({ pid }) => pid)).toEqual(pids);
});

test.each([
  ["is down", () => killed(database.process)],
  ["does not respond", () => frozen(database.process)],
])(
  "while the database %s, answers 503 with Retry-After and refuses changes, and recovers by itself",
  {
    timeout,
  },
  async (_, begin) => {
    const pids = services.map(({ pid }) => pid);
    const recover = await begin();
    const refused = randomUUID();
    await expect(tryToIssue(1, refused)).rejects.toThrow(/unavailable|deadline_exceeded/);
    expect(await listDuringOutage()).toEqual(unavailable);
    await recover();
    await eventually(() => list.page(), patience);
    // The refused change may have been committed: a retry with the same key ensures that it takes effect once.
    await eventually(() => tryToIssue(1, refused), patience);
    await untilAllDelivered();
    expect(services.map(({ pid }) => pid)).toEqual(pids);
  },
);

test("while no registry is running, answers 503 with Retry-After, and sends all messages afterwards", {
  timeout,
}, async () => {
  const others = services.filter((process) => !registries.includes(process));
  const pids = others.map(({ pid }) => pid);
  await issue(issuedBefore);
  const recover = await stopped(registries);
  expect(await listDuringOutage()).toEqual(unavailable);
  await recover();
  await eventually(() => list.page(), patience);
  // The test's own client may still wait before it connects again.
  await issue();
  await untilAllDelivered();
  expect(others.map(({ pid }) => pid)).toEqual(pids);
});
