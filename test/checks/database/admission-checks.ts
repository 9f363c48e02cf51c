import { randomBytes } from "node:crypto";
import { systemClock } from "#shared/time/clock.ts";
import { MongoAdmissions } from "../../../services/registry/mongo/admissions/mongo-admissions.ts";
import { MongoApiKeys } from "../../../services/registry/mongo/admissions/mongo-api-keys.ts";
import { newId } from "../../../services/registry/values/identifiers.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import { storeHistoryOf, testChange } from "../../harness/store-history-of.ts";
import { type DatabaseCheck, passedUnless } from "./database-check.ts";
import type { DatabaseRig } from "./rig.ts";

const policy = { limit: 5, windowMs: 1_000 };
const requests = 200;
const stepMaxMs = 400;
const graceMs = 60_000;

/** Checks that the aggregation pipelines for rate limiting and API keys have the expected results. */
export const admissionChecks: readonly DatabaseCheck[] = [
  {
    name: "the rate limit's updates and reads decide as a sliding-window log does",
    remedy: "Report this output with the server's version: an aggregation expression does not behave as in MongoDB.",
    run: async (rig) => passedUnless(await compareAdmissions(rig), `${requests} decisions`),
  },
  {
    name: "API keys are added, rolled and removed as expected",
    remedy: "Report this output with the server's version: an aggregation expression does not behave as in MongoDB.",
    run: async (rig) => passedUnless(await compareKeys(rig), "add, roll, end of the grace period, remove"),
  },
];

/**
 * Requests admissions at known times, returns the places of some admissions, as after a failed request, and compares
 * each decision with that of an in-memory sliding-window log.
 */
async function compareAdmissions(rig: DatabaseRig): Promise<string[]> {
  const { access } = rig.collections;
  const storeId = await rig.createStore();
  const hash = randomBytes(32);
  const key = { id: newId("key"), label: "check", prefix: "", hash };
  await new MongoApiKeys(access, storeHistoryOf(rig)).add(storeId, key, testChange);
  const random = actorRandom(rig.options.seed, "admissions");
  let nowMs = systemClock.now();
  // With `updating`, no key counts as refused, so an admission starts with the update; with `reading`, every key counts
  // as refused, so an admission first reads the window.
  const updating = { note: () => undefined, has: () => false };
  const reading = { note: () => undefined, has: () => true };
  const admissionsWith = (refusedKeys: typeof updating) =>
    new MongoAdmissions(access, policy, { databaseTime: () => new Date(nowMs), refusedKeys });
  const both = [admissionsWith(updating), admissionsWith(reading)] as const;
  let log: number[] = [];
  const differences: string[] = [];
  for (let request = 0; request < requests; request++) {
    rig.signal.throwIfAborted();
    nowMs += random.below(stepMaxMs);
    log = log.filter((time) => time > nowMs - policy.windowMs);
    const expected = log.length < policy.limit ? "admitted" : "rate_limited";
    const id = randomBytes(16);
    const decision = await both[random.below(2) as 0 | 1].admit(hash, { id });
    if (decision.admission === "unknown_key") return [`request ${request}: the key is unknown`];
    if (expected === "admitted") log.push(nowMs);
    const remaining = policy.limit - log.length;
    if (decision.admission !== expected || decision.rateLimit.remaining !== remaining)
      differences.push(
        `request ${request}: ${decision.admission} with ${decision.rateLimit.remaining} left instead of ${expected} with ${remaining}`,
      );
    if (expected === "admitted" && random.chance(0.2)) {
      const returned = await both[0].returnPlaces(hash, [id]);
      if (returned.length !== 1) differences.push(`request ${request}: the place of the request was not returned`);
      log.pop();
    }
  }
  return differences;
}

async function compareKeys(rig: DatabaseRig): Promise<string[]> {
  const storeId = await rig.createStore();
  let now = new Date(systemClock.now());
  const keys = new MongoApiKeys(rig.collections.access, storeHistoryOf(rig), () => now);
  const keyOf = (label: string) => ({ id: newId("key"), label, prefix: "", hash: randomBytes(32) });
  // An aggregation would read the label `$plan` as a path if it were not quoted.
  const [first, second, third] = [keyOf("$plan"), keyOf("second"), keyOf("third")];
  const differences: string[] = [];
  const expectLabels = async (when: string, ...labels: string[]) => {
    const found = (await keys.list(storeId)).map(({ label }) => label);
    if (found.join() !== labels.join()) differences.push(`${when}: ${found.join()} instead of ${labels.join()}`);
  };
  await keys.add(storeId, first, testChange);
  await keys.add(storeId, second, testChange);
  await expectLabels("after two additions", "$plan", "second");
  const validUntil = await keys.replace(storeId, { oldKeyId: first.id, key: third, graceMs }, testChange);
  if (validUntil?.getTime() !== now.getTime() + graceMs) differences.push(`the grace period ends at ${validUntil}`);
  await expectLabels("within the grace period", "$plan", "second", "third");
  now = new Date(now.getTime() + graceMs);
  await expectLabels("after the grace period", "second", "third");
  await keys.remove(storeId, second.id, testChange);
  await expectLabels("after a removal", "third");
  return differences;
}
