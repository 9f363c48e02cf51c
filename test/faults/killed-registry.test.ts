import { afterAll, expect, test } from "vitest";
import { startDatabaseProxy } from "../harness/database-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { partOf, startStack } from "../harness/stack/start-stack.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createTestStore } from "../harness/test-stores.ts";

const database = await openTestDatabase();
const proxy = await startDatabaseProxy(database.uri);
const stack = await startStack({
  name: "killed-registry",
  mongodbUri: database.uri,
  registries: [{ env: { REGISTRY_MONGODB_URI: proxy.uri } }, {}],
  callTimeoutMs: 60_000,
});
afterAll(() => stack.close());

test("after a registry is killed during a transaction, the store stays locked only until another registry detects the missing heartbeat", {
  timeout: 120_000,
}, async () => {
  const [killed, other] = [partOf(stack.registries, 0), partOf(stack.registries, 1)];
  const storeId = await createTestStore(other);
  const { replicas, certificates } = database.collections;
  await eventually(async () => expect(await replicas.countDocuments()).toBe(2));

  // A change locks its store's clock before these writes, so holding the writes keeps the store locked.
  for (const command of ["bulkWrite", "insert certificates"]) proxy.hold(command);
  const lost = killed.issuing.issueCertificates({ items: [issueItem()] }, inStore(storeId)).catch(() => undefined);
  const writes = () => proxy.count("bulkWrite") + proxy.count("insert certificates");
  await eventually(() => expect(writes()).toBeGreaterThan(0));
  await killed.process.kill();
  await lost;

  // Less than MongoDB's default transaction lifetime of 60 s: an expired transaction would also unlock the store.
  const withinMs = 45_000;
  await eventually(() => other.issuing.issueCertificates({ items: [issueItem()] }, inStore(storeId)), { withinMs });
  await eventually(async () => expect(await replicas.countDocuments()).toBe(1));
  expect(await certificates.countDocuments({ store: storeId })).toBe(1);
});
