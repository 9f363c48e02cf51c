import type { CommandSucceededEvent } from "mongodb";
import { MongoClient } from "mongodb";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { ListFilter } from "../../services/registry/certificates/list-certificates.ts";
import { MongoFeed } from "../../services/registry/mongo/certificates/mongo-feed.ts";
import { settleExpired } from "../../services/registry/mongo/certificates/settle-expired.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import type { CertificateDocument } from "../../services/registry/mongo/documents/documents.ts";
import { snapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { issueInNewStore } from "../harness/issue-items.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";

const registry = await openTestRegistry();
const { database } = registry;
const { certificates } = database.collections;

const expiringCount = 10_000;
const batchSize = 200;
const remainingMs = () => 10_000;
const startMs = Date.parse("2026-05-01T12:00:00.000Z");
const expiresAt = new Date(startMs + 86_400_000);
const kinds = {
  expired: { expiresAt },
  active: { expiresAt: new Date(expiresAt.getTime() + 1) },
  revoked: { expiresAt, status: "revoked" },
} as const;

const store = "sto_mass_expiry";
const ids: Record<keyof typeof kinds, string[]> = { expired: [], active: [], revoked: [] };

// Creates 10,000 certificates that expire at the same time, 500 that are still active then, and 500 revoked ones.
beforeAll(async () => {
  const { certificateId } = await issueInNewStore(registry);
  const template = await certificates.findOne({ _id: certificateId });
  if (template === null) throw new Error("the certificate does not exist");
  const documents = Array.from({ length: 1.1 * expiringCount }, (_element, index): CertificateDocument => {
    const kind = index % 22 === 7 ? "active" : index % 22 === 15 ? "revoked" : "expired";
    const _id = `crt_${index}`;
    ids[kind].push(_id);
    return {
      ...template,
      _id,
      linkToken: _id,
      store,
      serial: index + 1,
      updatedAt: new Date(startMs + index),
      ...kinds[kind],
    };
  });
  // Inserted in reverse list order, so that expiries are not stored in list order.
  for (let end = documents.length; end > 0; end -= 2_000)
    await certificates.insertMany(documents.slice(Math.max(0, end - 2_000), end).reverse(), { ordered: false });
}, 120_000);

/** Creates a feed whose clock shows the time of expiry. Each of its reads stores at most one batch of expiries. */
function feedAtExpiry() {
  return new MongoFeed(database.collections, snapshotReader(database.client), () => expiresAt, 0);
}

const readPage = (feed: MongoFeed, filter: ListFilter, countMax: number) =>
  feed.readRows(store, { filter, countMax, now: expiresAt, remainingMs });

async function readAll(feed: MongoFeed, filter: ListFilter): Promise<string[]> {
  const ids: string[] = [];
  for (let changedAfter: Date | undefined; ; ) {
    const query = { ...filter, ...(changedAfter && { changedAfter }) };
    const page = await readPage(feed, query, 7_000);
    ids.push(...page.map(({ linkToken }) => linkToken));
    changedAfter = page.at(-1)?.updatedAt;
    if (changedAfter === undefined) return ids;
  }
}

const settledCount = () => certificates.countDocuments({ store, status: "expired" });

test("returns complete, ordered pages by status although not all expiries are stored yet", async () => {
  const feed = feedAtExpiry();
  const first = await readPage(feed, { status: "expired" }, 100);
  expect(first.map(({ linkToken }) => linkToken)).toEqual(ids.expired.slice(0, 100));
  expect(await settledCount()).toBe(batchSize);

  expect(await readAll(feed, { status: "expired" })).toEqual(ids.expired);
  expect(await readAll(feed, { status: "active" })).toEqual(ids.active);
  expect(await readAll(feed, { status: "revoked" })).toEqual(ids.revoked);
  expect(await settledCount()).toBeLessThan(expiringCount);
}, 120_000);

test("stores expiries in batches of at most 200 until all are stored", async () => {
  const client = new MongoClient(database.uri, { monitorCommands: true });
  onTestFinished(() => client.close());
  const updated: number[] = [];
  client.on("commandSucceeded", ({ commandName, reply }: CommandSucceededEvent) => {
    if (commandName === "update") updated.push(Number((reply as { n: number }).n));
  });
  const watched = collectionsOf(client.db()).certificates;
  let calls = 0;
  while (!(await settleExpired(watched, store, expiresAt, remainingMs, 1_000)))
    if (++calls > expiringCount / batchSize) throw new Error("a call settled no batch");
  expect(await settledCount()).toBe(expiringCount);
  expect(Math.max(...updated)).toBe(batchSize);
  expect(await readAll(feedAtExpiry(), { status: "expired" })).toEqual(ids.expired);
}, 120_000);
