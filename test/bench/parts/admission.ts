import { randomBytes } from "node:crypto";
import { Binary } from "mongodb";
import { settingsFixture } from "../../../services/registry/values/store-settings-fixture.ts";
import { admittedAt } from "../../harness/admitted-requests.ts";
import type { BenchStack } from "../bench-stack.ts";
import { admissionTime } from "../loads/admission-time.ts";
import { compareSides, type Finding, type Part } from "./part.ts";
import { baselineSide } from "./sides.ts";
import { withBaseline } from "./stores.ts";

const limit = 120;
// Every request is admitted into an almost full window: see admissionTime.
const passing = { limit, windowMs: 500 * (limit - 1) };
// No admission leaves the window during the benchmark.
const permanent = { limit, windowMs: 86_400_000 };
const keysMax = 20;

/**
 * Compares admission decisions with `findOne` by the key's hash: for stores with one key, for stores with the maximum
 * number of keys, for unknown keys, and for stores whose window is full. An admission is one database operation that
 * checks the key, the plan and the rate limit and records the admission; a refusal because of a full window is a read
 * that concurrent requests share. The loads access the database directly, because the cost of gRPC is the same for all
 * calls.
 */
export const measureAdmission: Part = async (stack, options, signal) => {
  const find = (title: string, mode: "admit" | "refuse", keyHashes: readonly string[]): Promise<Finding> => {
    const policy = mode === "admit" ? passing : permanent;
    const side = (name: string, mode: "admit" | "refuse" | "find_one") =>
      baselineSide(stack, name, "admissions.ts", { uri: stack.baselineUri, keyHashes, policy, mode });
    const sides = [side("service", mode), side("find_one", "find_one")];
    return compareSides(`${title}; compared with findOne by the hash`, sides, options, signal);
  };
  const { stores } = options;
  const places = Array.from({ length: limit - 1 }, (_, index) => admissionTime(passing, index));
  const one = await createStores(stack, stores, 1, places);
  const many = await createStores(stack, stores, keysMax, places);
  const full = await createStores(stack, stores, 1, Array<Date>(limit).fill(new Date()));
  const unknown = Array.from({ length: stores }, newHash);
  const taken = `over ${stores} stores, ${limit - 2} of ${limit} places taken`;
  return {
    one_key: await find(`requests admitted ${taken}, 1 key each`, "admit", one),
    many_keys: await find(`requests admitted ${taken}, ${keysMax} keys each`, "admit", many),
    unknown_key: await find(`requests with ${stores} unknown keys`, "admit", unknown),
    refused: await find(
      `requests refused, with shared reads, over ${stores} stores whose window is full`,
      "refuse",
      full,
    ),
  };
};

const newHash = () => randomBytes(32).toString("hex");

/** Creates stores with these admissions in the baseline database. @returns the hash of each store's last key */
async function createStores(
  stack: BenchStack,
  count: number,
  keyCount: number,
  admissions: readonly Date[],
): Promise<string[]> {
  const createdAt = new Date();
  const admitted = admittedAt(admissions);
  const stores = Array.from({ length: count }, () => {
    const hashes = Array.from({ length: keyCount }, newHash);
    const keys = hashes.map((hash, index) => {
      const key = { id: `key_${index}`, label: "bench", prefix: "crk_", createdAt };
      return { ...key, hash: new Binary(Buffer.from(hash, "hex")) };
    });
    const settings = { plan: "pro" as const, epoch: "", settings: settingsFixture };
    return { hashes, document: { _id: `sto_${hashes[0]}`, ...settings, keys, admitted, decision: null } };
  });
  await withBaseline(stack, ({ access }) => access.insertMany(stores.map(({ document }) => document)));
  return stores.map(({ hashes }) => hashes.at(-1) ?? "");
}
