import { type Db, MongoClient } from "mongodb";
import { createLogger } from "#shared/observe/logger.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { type Collections, collectionsOf } from "../../../services/registry/mongo/documents/collections.ts";
import { ensureIndexes } from "../../../services/registry/mongo/opening/ensure-indexes.ts";
import { inStore } from "../../harness/in-store.ts";
import { issueItem } from "../../harness/issue-items.ts";
import { createTestStore } from "../../harness/test-stores.ts";
import type { BenchStack } from "../bench-stack.ts";
import type { WorkerTarget } from "../loads/transfer-workers.ts";

/** Creates stores through the registry. @returns their ids */
export async function createStores(
  { registry: { admin } }: Pick<BenchStack, "registry">,
  count: number,
): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await createTestStore({ admin }));
  return ids;
}

/** Issues certificates in a store through the registry. @returns their ids */
export async function issueIn(
  { registry: { issuing } }: Pick<BenchStack, "registry">,
  storeId: string,
  count: number,
): Promise<string[]> {
  const items = Array.from({ length: count }, () => issueItem());
  const { results } = await issuing.issueCertificates({ items }, inStore(storeId));
  return results.map(({ certificateId }) => certificateId);
}

/** Returns the link token of one of a store's certificates. */
export async function linkTokenIn({ collections }: Pick<BenchStack, "collections">, store: string): Promise<string> {
  const found = await collections.certificates.findOne({ store });
  if (found?.linkToken === undefined) throw new Error("the store has no certificate with a link token");
  return found.linkToken;
}

const certificatesOfStore = 20;

/** Creates stores, each with certificates to transfer and a webhook with this URL. */
export async function createTargets(stack: BenchStack, count: number, url: string): Promise<WorkerTarget[]> {
  const targets: WorkerTarget[] = [];
  for (const storeId of await createStores(stack, count)) {
    targets.push({ storeId, certificateIds: await issueIn(stack, storeId, certificatesOfStore) });
    await stack.registry.admin.setWebhook({ url, createSecret: true }, inStore(storeId));
  }
  return targets;
}

/** Runs `work` with the baselines' database, which has the registry's indexes. @param prepare runs before they exist */
export async function withBaseline<Result>(
  { baselineUri }: Pick<BenchStack, "baselineUri">,
  work: (collections: Collections) => Promise<Result>,
  prepare: (database: Db) => Promise<unknown> = async () => undefined,
): Promise<Result> {
  const client = new MongoClient(baselineUri, { writeConcern: { w: "majority" } });
  try {
    await prepare(client.db());
    await ensureIndexes(client, { logger: createLogger("bench", "silent"), clock: steadyClock });
    return await work(collectionsOf(client.db()));
  } finally {
    await client.close();
  }
}

/** Recreates the baseline database with the registry's indexes and copies of these stores and their certificates. */
export async function copyToBaseline(stack: BenchStack, storeIds: readonly string[]): Promise<void> {
  const { collections: from } = stack;
  const copy = async (to: Collections) => {
    await to.stores.insertMany(await from.stores.find({ _id: { $in: [...storeIds] } }).toArray());
    const certificates = await from.certificates.find({ store: { $in: [...storeIds] } }).toArray();
    if (certificates.length > 0) await to.certificates.insertMany(certificates);
  };
  await withBaseline(stack, copy, (database) => database.dropDatabase());
}
