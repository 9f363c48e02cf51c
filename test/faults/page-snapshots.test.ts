import { setTimeout as delay } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CertificateRow } from "../../services/registry/certificates/page-json.ts";
import { MongoFeed } from "../../services/registry/mongo/certificates/mongo-feed.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { pageReaders } from "../../services/registry/mongo/opening/page-reads.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { partOf, startStack } from "../harness/stack/start-stack.ts";
import { createTestStore } from "../harness/test-stores.ts";

const firstBatch = 60;
const batchSize = 3;
// Enough that a server that reads the index and then each certificate needs as long for a page as several changes take.
const issuedFirst = 420;
const issuedMax = issuedFirst + 120;
const movers = 18;
const kills = 1;
const pagesMin = 150;
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
  const itemsOf = (length: number) => Array.from({ length }, () => issueItem());
  const moving: string[] = [];
  let issued = 0;
  const issue = async (registry: typeof first, count: number) => {
    const { results } = await registry.issuing.issueCertificates({ items: itemsOf(count) }, inStore(storeId));
    issued += results.length;
    return results.map(({ certificateId }) => certificateId);
  };
  while (issued < issuedFirst) moving.push(...(await issue(second, firstBatch)));
  for (let mover = 0; mover < movers; mover++) {
    const registry = mover % 2 === 0 ? first : second;
    const certificateId = () => moving[Math.floor(Math.random() * moving.length)] ?? "";
    const transfer = () =>
      registry.lifecycle.transferCertificate(
        { certificateId: certificateId(), newOwnerName: "Ben", newOwnerEmail: `${crypto.randomUUID()}@example.test` },
        inStore(storeId),
      );
    writers.push(repeat(transfer));
  }
  writers.push(repeat(() => (issued < issuedMax ? issue(first, batchSize) : delay(1_000))));
  return async () => {
    stopping.abort();
    await Promise.all(writers);
  };
});

type Row = Pick<CertificateRow, "linkToken" | "updatedAt">;

/**
 * Checks that a page of all certificates shows the store at one point in time, and returns the contradictions. A client
 * continues after the page's last change, so the page must have every earlier change of the store.
 *
 * @param changes at least the changes up to the page's last one, each as the row of its certificate
 */
function contradictionsOf(rows: readonly Row[], changes: readonly Row[]): string[] {
  const times = rows.map(({ updatedAt }) => updatedAt.getTime());
  const seen = new Map(rows.map(({ linkToken, updatedAt }) => [linkToken, updatedAt.getTime()]));
  const last = Math.max(...times);
  const latest = new Map<string, number>();
  for (const { linkToken, updatedAt } of changes)
    if (updatedAt.getTime() <= last) latest.set(linkToken, Math.max(latest.get(linkToken) ?? 0, updatedAt.getTime()));
  return [
    ...(seen.size < rows.length ? ["a certificate appears twice"] : []),
    ...Array.from(latest).flatMap(([linkToken, at]) =>
      (seen.get(linkToken) ?? 0) < at ? [`a page up to ${last} lacks the change of ${at}`] : [],
    ),
    ...(times.some((time, index) => time <= (times[index - 1] ?? Number.NEGATIVE_INFINITY))
      ? ["certificates are out of order"]
      : []),
  ];
}

/** Returns all changes of the store, each as the row of its certificate. */
async function allChanges(): Promise<Row[]> {
  const { certificates, history } = collectionsOf(client.db());
  const tokens = new Map<string, string>();
  for await (const { _id, linkToken } of certificates.find({ store: storeId })) tokens.set(_id, linkToken);
  const entries = await history.find({ store: storeId }).toArray();
  return entries.map(({ certificate, at }) => ({ linkToken: tokens.get(certificate) ?? certificate, updatedAt: at }));
}

test("contradictionsOf detects a scan that sees only some of the changes", () => {
  const rowAt = (id: number, ms: number) => ({ linkToken: `crt_${id}`, updatedAt: new Date(ms) });
  const [first, second, third, moved, movedLater] = [rowAt(1, 1), rowAt(2, 2), rowAt(3, 3), rowAt(1, 4), rowAt(2, 5)];
  const changes = [first, second, third, moved, movedLater];
  expect(contradictionsOf([first, second, third], changes)).toEqual([]);
  expect(contradictionsOf([third, moved, movedLater], changes)).toEqual([]);
  expect(contradictionsOf([first, third, movedLater], changes)).toEqual(["a page up to 5 lacks the change of 4"]);
  expect(contradictionsOf([second, third], changes)).toEqual(["a page up to 3 lacks the change of 1"]);
  expect(contradictionsOf([first, second, third, moved], changes)).toEqual(["a certificate appears twice"]);
  expect(contradictionsOf([moved, second, third], changes)).toEqual(["certificates are out of order"]);
});

test.for([
  ["the registry's choice for this server", "auto"],
  ["a transaction", "transaction"],
] as const)(
  "a page read by %s shows the store at one point in time while the store changes and the database is killed",
  { timeout: 600_000 },
  async ([_name, how], { signal }) => {
    const { database } = stack;
    const readerOf = await pageReaders(client, how, pino({ level: "silent" }));
    if (database === undefined) throw new Error("the stack has no database of its own");
    const feed = new MongoFeed(collectionsOf(client.db()), readerOf(client));
    const query = { filter: {}, countMax: 2 * issuedMax, now: new Date(), remainingMs: () => 10_000 };
    const pages: CertificateRow[][] = [];
    for (let kill = 0; kill <= kills; kill++) {
      const changesBefore = changes;
      const pagesBefore = pages.length;
      while (pages.length < pagesBefore + pagesMin || changes < changesBefore + changesMin) {
        // Without the signal, the loop would go on after the test's limit.
        signal.throwIfAborted();
        const rows = await feed.readRows(storeId, query).catch(() => delay(100, undefined));
        if (rows !== undefined) pages.push(rows);
      }
      if (kill === kills) break;
      const answering = feed.readRows(storeId, query).catch(() => undefined);
      await database.process.kill();
      await database.process.start();
      const rows = await answering;
      if (rows !== undefined) pages.push(rows);
    }
    const made = await allChanges();
    expect(pages.flatMap((rows) => contradictionsOf(rows, made))).toEqual([]);
  },
);
