import { setTimeout as delay } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inStore } from "#shared/rpc/scope-metadata.ts";
import { systemClock } from "#shared/time/clock.ts";
import type { CertificateRow } from "../../services/registry/certificates/page-json.ts";
import { MongoFeed } from "../../services/registry/mongo/certificates/mongo-feed.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { findSnapshotReader, snapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { issueItem } from "../harness/issue-items.ts";
import { partOf, startStack } from "../harness/stack/start-stack.ts";
import { createTestStore } from "../harness/test-stores.ts";

const batchSize = 3;
const firstBatches = 6;
const issuedMax = 120;
const kills = 1;
const pagesMin = 25;
const changesMin = 100;

const stack = await startStack({ name: "page-snapshots", logLevel: "error", registries: [{}, {}] });
const client = new MongoClient(stack.mongodbUri, { readConcern: { level: "majority" } });
afterAll(async () => {
  await client.close();
  await stack.close();
});

let storeId: string;
const stopping = new AbortController();
const writers: Promise<void>[] = [];
let changes = 0;

/** Repeats a change until the tests end. Changes may fail while the database is down. */
async function repeat(change: () => Promise<unknown>): Promise<void> {
  while (!stopping.signal.aborted) {
    await change().then(
      () => changes++,
      () => delay(100),
    );
  }
}

beforeAll(async () => {
  const [first, second] = [partOf(stack.registries, 0), partOf(stack.registries, 1)];
  storeId = await createTestStore(first);
  const items = Array.from({ length: batchSize }, () => issueItem());
  const moving: string[] = [];
  let issued = 0;
  const issueBatch = async (registry = second) => {
    const { results } = await registry.issuing.issueCertificates({ items }, inStore(storeId));
    issued += results.length;
    return results.map(({ certificateId }) => certificateId);
  };
  for (let batch = 0; batch < firstBatches; batch++) moving.push(...(await issueBatch()));
  for (const [index, certificateId] of moving.entries()) {
    const registry = index % 2 === 0 ? first : second;
    const transfer = { storeId, certificateId, newOwnerName: "Ben", newOwnerEmail: "ben@example.test" };
    writers.push(repeat(() => registry.lifecycle.transferCertificate(transfer, inStore(transfer.storeId))));
  }
  writers.push(repeat(() => (issued < issuedMax ? issueBatch(first) : delay(1_000))));
  return async () => {
    stopping.abort();
    await Promise.all(writers);
  };
}, 60_000);

/**
 * Checks that a page shows the list at one point in time, and returns the contradictions. Each change moves its
 * certificate to the end of the list, so a scan that sees only some of the changes can return a certificate twice or
 * not at all. The certificates of a batch are issued in one transaction, so a page has all or none of them.
 */
function contradictionsOf(rows: readonly Pick<CertificateRow, "linkToken" | "updatedAt">[]): string[] {
  const ids = new Set(rows.map(({ linkToken }) => linkToken));
  const times = rows.map(({ updatedAt }) => updatedAt.getTime());
  return [
    ...(ids.size < rows.length ? ["a certificate appears twice"] : []),
    ...(ids.size < firstBatches * batchSize || ids.size % batchSize !== 0 ? ["a certificate is missing"] : []),
    ...(times.some((time, index) => time <= (times[index - 1] ?? Number.NEGATIVE_INFINITY))
      ? ["certificates are out of order"]
      : []),
  ];
}

test("contradictionsOf detects a scan that sees only some of the changes", () => {
  const rowAt = (id: number, ms: number) => ({ linkToken: `crt_${id}`, updatedAt: new Date(ms) });
  const whole = Array.from({ length: firstBatches * batchSize }, (_, index) => rowAt(index, index));
  const moved = rowAt(0, 1_000);
  expect(contradictionsOf(whole)).toEqual([]);
  expect(contradictionsOf([...whole, moved])).toEqual(["a certificate appears twice"]);
  expect(contradictionsOf(whole.slice(1))).toEqual(["a certificate is missing"]);
  expect(contradictionsOf([moved, ...whole.slice(1)])).toEqual(["certificates are out of order"]);
});

test.each([
  ["find with read concern snapshot", findSnapshotReader(systemClock)],
  ["a transaction", snapshotReader(client, systemClock)],
])(
  "a page read with %s shows the store at one point in time while the store changes and the database is killed",
  async (_name, reader) => {
    const { database } = stack;
    if (database === undefined) throw new Error("the stack has no database of its own");
    const feed = new MongoFeed(collectionsOf(client.db()), reader);
    const query = { filter: {}, countMax: 2 * issuedMax, now: new Date(), remainingMs: () => 10_000 };
    const contradictions: string[] = [];
    for (let kill = 0; kill <= kills; kill++) {
      const changesBefore = changes;
      for (let pages = 0; pages < pagesMin || changes < changesBefore + changesMin; ) {
        const rows = await feed.readRows(storeId, query).catch(() => undefined);
        if (rows === undefined) continue;
        pages++;
        contradictions.push(...contradictionsOf(rows));
      }
      if (kill === kills) break;
      const answering = feed.readRows(storeId, query).catch(() => undefined);
      await database.process.kill();
      await database.process.start();
      const rows = await answering;
      if (rows !== undefined) contradictions.push(...contradictionsOf(rows));
    }
    expect(contradictions).toEqual([]);
  },
  240_000,
);
