import { randomBytes } from "node:crypto";
import { Binary, MongoClient } from "mongodb";
import { collectionsOf } from "../../../services/registry/mongo/collections.ts";
import { ensureIndexes } from "../../../services/registry/mongo/indexes.ts";
import type { BenchStack } from "../bench-stack.ts";
import { admissionTime } from "../loads/admission-time.ts";
import { type Finding, findOut, type Part } from "./part.ts";
import { bareSide } from "./sides.ts";

const limit = 120;
// With one place free, all but one are taken whenever a request comes (see admissionTime).
const passing = { limit, windowMs: 500 * (limit - 1) };
// Nothing leaves the window while the benchmark runs.
const standing = { limit, windowMs: 86_400_000 };
const keysMax = 20;

/**
 * What it costs to decide about one request, against `findOne` by the key's hash. Admitting one is one database operation,
 * which looks at key, plan and limit and takes a place: for stores with one key, for stores with as many as they may have,
 * and for unknown keys. Refusing one, for a store whose window is known to be full, is a read, which requests that come
 * together share. There is no registry between: what gRPC costs is the same for all calls.
 */
export const measureAdmission: Part = async (stack, options, signal) => {
  const find = (title: string, way: "admit" | "refuse", keyHashes: readonly string[]): Promise<Finding> => {
    const policy = way === "admit" ? passing : standing;
    const side = (name: string, way: "admit" | "refuse" | "find_one") =>
      bareSide(stack, name, "admissions.ts", { uri: stack.bareUri, keyHashes, policy, way });
    const sides = [side("service", way), side("find_one", "find_one")];
    return findOut(`${title}; findOne by the hash`, sides, options, signal);
  };
  const { stores } = options;
  const places = Array.from({ length: limit - 1 }, (_, index) => admissionTime(passing, index));
  const one = await createStores(stack, stores, 1, places);
  const many = await createStores(stack, stores, keysMax, places);
  const full = await createStores(stack, stores, 1, Array<Date>(limit).fill(new Date()));
  const unknown = Array.from({ length: stores }, newHash);
  const taken = `over ${stores} stores, ${limit - 1} of ${limit} places taken`;
  return {
    one_key: await find(`requests admitted ${taken}, 1 key each`, "admit", one),
    many_keys: await find(`requests admitted ${taken}, ${keysMax} keys each`, "admit", many),
    unknown_key: await find(`requests with ${stores} unknown keys`, "admit", unknown),
    refused: await find(`requests refused, with shared reads, over ${stores} full stores`, "refuse", full),
  };
};

const newHash = () => randomBytes(32).toString("hex");

/** Stores with places taken, in the bare database. @returns the hash of each store's last key */
async function createStores(
  { bareUri }: Pick<BenchStack, "bareUri">,
  count: number,
  keys: number,
  admitted: readonly Date[],
): Promise<string[]> {
  const client = new MongoClient(bareUri, { writeConcern: { w: "majority" } });
  try {
    const collections = collectionsOf(client.db());
    await ensureIndexes(collections);
    const createdAt = new Date();
    const stores = Array.from({ length: count }, () => {
      const hashes = Array.from({ length: keys }, newHash);
      const key = (hash: string, index: number) => ({
        id: `key_${index}`,
        label: "bench",
        createdAt,
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
