import { randomBytes } from "node:crypto";
import { Binary, MongoClient } from "mongodb";
import { collectionsOf } from "../../../services/registry/mongo/collections.ts";
import { ensureIndexes } from "../../../services/registry/mongo/indexes.ts";
import type { BenchStack } from "../bench-stack.ts";
import { type Finding, findOut, type Part } from "./part.ts";
import { bareSide } from "./sides.ts";

// The window is full all the time: nothing leaves it while the benchmark runs.
const policy = { limit: 120, windowMs: 86_400_000 };
const keysMax = 20;

/**
 * What it costs to decide about one request (key, plan and limit, in one database operation) with a full window, against
 * `findOne` by the key's hash: of stores with one key, of stores with as many as they may have, and of unknown keys. There is
 * no registry between: what gRPC costs is the same for all calls.
 */
export const measureAdmission: Part = async (stack, options, signal) => {
  const find = (title: string, keyHashes: readonly string[]): Promise<Finding> => {
    const side = (name: string, way: "admit" | "find_one") =>
      bareSide(stack, name, "admissions.ts", { uri: stack.bareUri, keyHashes, policy, way });
    return findOut(title, [side("service", "admit"), side("find_one", "find_one")], options, signal);
  };
  const { stores } = options;
  const one = await createStores(stack, stores, 1);
  const many = await createStores(stack, stores, keysMax);
  const unknown = Array.from({ length: stores }, newHash);
  const full = `over ${stores} stores, window of ${policy.limit} full`;
  return {
    one_key: await find(`admissions ${full}, 1 key each; findOne by the hash`, one),
    many_keys: await find(`admissions ${full}, ${keysMax} keys each; findOne by the hash`, many),
    unknown_key: await find(`admissions of ${stores} unknown keys; findOne by the hash`, unknown),
  };
};

const newHash = () => randomBytes(32).toString("hex");

/** Stores with full windows, in the bare database. @returns the hash of each store's last key */
async function createStores(
  { bareUri }: Pick<BenchStack, "bareUri">,
  count: number,
  keys: number,
): Promise<string[]> {
  const client = new MongoClient(bareUri, { writeConcern: { w: "majority" } });
  try {
    const collections = collectionsOf(client.db());
    await ensureIndexes(collections);
    const now = new Date();
    const admitted = Array<Date>(policy.limit).fill(now);
    const stores = Array.from({ length: count }, () => {
      const hashes = Array.from({ length: keys }, newHash);
      const key = (hash: string, index: number) => ({
        id: `key_${index}`,
        label: "bench",
        createdAt: now,
        hash: new Binary(Buffer.from(hash, "hex")),
      });
      return {
        hashes,
        document: {
          _id: `sto_${hashes[0]}`,
          plan: "pro" as const,
          keys: hashes.map(key),
          admitted,
          decision: null,
        },
      };
    });
    await collections.access.insertMany(stores.map(({ document }) => document));
    return stores.map(({ hashes }) => hashes.at(-1) ?? "");
  } finally {
    await client.close();
  }
}
