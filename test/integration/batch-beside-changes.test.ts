import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Clock } from "#shared/time/clock.ts";
import { issueCertificates } from "../../services/registry/certificates/issue-certificates.ts";
import type { IssueItem } from "../../services/registry/certificates/issue-item.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { createTestLedger } from "../harness/ledger-fixture.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { openWatchedClient } from "../harness/sent-commands.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database } = registry;

// At this interval, a batch that had to wait for 500 milliseconds without another change would starve.
const changeIntervalMs = 125;

/** Returns the update times of a store's certificates, ordered by serial number, which is the commit order. */
async function timesInCommitOrder(storeId: string): Promise<number[]> {
  const documents = await database.collections.certificates.find({ store: storeId }).sort({ serial: 1 }).toArray();
  return documents.map(({ updatedAt }) => updatedAt.getTime());
}

test("commits batches of 500 certificates while another replica makes up to eight changes per second", async () => {
  const storeId = await createTestStore(registry);
  const [importer, replica] = [createTestLedger(database), createTestLedger(database)];
  const finished = new AbortController();
  let changes = 0;
  const changing = (async () => {
    while (!finished.signal.aborted) {
      await replica.issue(storeId);
      changes++;
      await delay(changeIntervalMs);
    }
  })();
  try {
    // Each certificate needs a millisecond of its own. The first batch may still use milliseconds from before the test;
    // the second must wait for 500 new ones.
    for (let batch = 0; batch < 2; batch++) {
      const results = await importer.issue(storeId, 500);
      const serials = results.map((result) => ("serial" in result ? Number(result.serial) : Number.NaN));
      expect(new Set(serials).size).toBe(500);
      expect(serials).toEqual(serials.toSorted((a, b) => a - b));
    }
  } finally {
    finished.abort();
    await changing;
  }
  const times = await timesInCommitOrder(storeId);
  expect(times).toHaveLength(1_000 + changes);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  expect(times.at(-1)).toBeLessThanOrEqual((await database.now()).getTime());
});

test("commits each batch in one transaction if no other replica changes the store", async () => {
  const storeId = await createTestStore(registry);
  const { client, commands } = await openWatchedClient(database.uri);
  const importer = createTestLedger({ client, collections: collectionsOf(client.db()) });
  for (let count = 0; count < 3; count++) await importer.issue(storeId, 500);
  expect(commands.filter((name) => name === "commitTransaction")).toHaveLength(3);
});

const batch = Array.from(
  { length: 500 },
  (_, index): IssueItem => ({
    product: { id: "7001", title: `Poster ${index + 1}`, variant: "", sku: "" },
    buyer: { name: "Ada Example", email: "ada@example.test" },
    order: null,
    expiresAt: null,
  }),
);
const keyed = { idempotencyKey: "import-1", actor: "test", isImport: true };

/**
 * Sends a batch of 500 with an idempotency key; the batch fails after 200 certificates are committed. For a replica
 * started afterwards, the database clock advances by a second at each reading.
 */
async function interruptedBatch() {
  const storeId = await createTestStore(registry);
  // Must be near the current time, because the database deletes stored responses after 24 hours by its own clock.
  const time = { ms: Date.now() };
  const databaseTime = () => new Date(time.ms);
  const replica = createTestLedger(database, { databaseTime });
  await replica.issue(storeId);
  time.ms += 150;
  let [nowMs, sleeps] = [0, 0];
  // During the batch's first wait, the other replica changes the store, and the database clock advances by 200 ms.
  // Afterwards the clock stands still, so the next part fails after its retries.
  const sleep: Clock["sleep"] = async () => {
    nowMs += 2_000;
    if (sleeps++ > 0) return;
    await replica.issue(storeId);
    time.ms += 200;
  };
  const importer = createTestLedger(database, { databaseTime, clock: { now: () => nowMs, sleep } });
  await expect(issueCertificates(importer.queue, storeId, batch, keyed)).rejects.toMatchObject({ code: "unavailable" });
  const committed = await database.collections.certificates.countDocuments({ store: storeId });
  expect(committed).toBe(2 + 200);
  const passing = () => {
    time.ms += 1_000;
    return databaseTime();
  };
  const startReplica = () => createTestLedger(database, { databaseTime: passing });
  return { storeId, startReplica };
}

async function idsByProduct(storeId: string): Promise<string[]> {
  const documents = await database.collections.certificates
    .find({ store: storeId, "product.title": /^Poster/ })
    .sort({ updatedAt: 1 })
    .toArray();
  expect(documents.map(({ product }) => product.title)).toEqual(batch.map(({ product }) => product.title));
  return documents.map(({ _id }) => _id);
}

test("continues a failed batch when it is retried on another replica, and issues no item twice", async () => {
  const { storeId, startReplica } = await interruptedBatch();
  const replica = startReplica();
  const results = await issueCertificates(replica.queue, storeId, batch, keyed);
  const ids = await idsByProduct(storeId);
  expect(results).toMatchObject(ids.map((certificateId) => ({ outcome: "issued", certificateId })));
  const serials = await database.collections.certificates.distinct("serial", { store: storeId });
  expect(serials).toEqual(Array.from({ length: 502 }, (_, index) => index + 1));
  await expectNothingChanged(database, async () => {
    expect(await issueCertificates(replica.queue, storeId, batch, keyed)).toEqual(results);
  });
});

test("returns the same certificates to concurrent retries of an unfinished batch", async () => {
  const { storeId, startReplica } = await interruptedBatch();
  const [one, other] = await Promise.all(
    [startReplica(), startReplica()].map(({ queue }) => issueCertificates(queue, storeId, batch, keyed)),
  );
  expect(one).toEqual(other);
  expect(one).toMatchObject((await idsByProduct(storeId)).map((certificateId) => ({ certificateId })));
});

test("refuses different content under the idempotency key of an unfinished batch", async () => {
  const { storeId, startReplica } = await interruptedBatch();
  const other = issueCertificates(startReplica().queue, storeId, batch.slice(1), keyed);
  await expect(other).rejects.toMatchObject({ code: "conflict", field: "idempotency_key" });
});
