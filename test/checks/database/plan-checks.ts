import type { Document } from "mongodb";
import { systemClock } from "#shared/time/clock.ts";
import { parseSearch } from "../../../services/registry/certificates/parse-search.ts";
import { feedCursor, feedQuery } from "../../../services/registry/mongo/certificates/feed-query.ts";
import { planSearch, searchBounds, wordCursor } from "../../../services/registry/mongo/certificates/plan-search.ts";
import { oldestCursor } from "../../../services/registry/mongo/outbox/mongo-outbox.ts";
import { insertVariants } from "../../harness/bulk-certificates.ts";
import { plannedFilters, stagesOf } from "../../harness/query-plans.ts";
import { type CheckResult, type DatabaseCheck, failed, passed, skipped } from "./database-check.ts";
import type { DatabaseRig } from "./rig.ts";
import { issueSamples } from "./sample-certificate.ts";

const pageSize = 50;
// One extra key, which the server may read to detect the end of a range or to skip a certificate that just expired.
const pageReadMax = pageSize + 1;
// A range of the index of words can need a few seeks.
const searchMax = Math.max(searchBounds.withWordMax, searchBounds.scannedMax) + 10;
// More than a count that may read the documents.
const countedMax = 200;
const remedy =
  "Compare the collection's indexes with services/registry/mongo/opening/indexes.ts; drop indexes that you added.";

/**
 * Checks how many index keys and documents the server reads for a page with each list filter, and for the oldest event
 * in the outbox.
 */
export const planChecks: readonly DatabaseCheck[] = [
  ...plannedFilters.map(([name, filter]) => ({
    name: `a page of ${pageSize} with ${name} reads at most ${pageReadMax} index keys and documents`,
    remedy,
    run: async (rig: DatabaseRig) => {
      const storeId = await storeOfPlans(rig);
      const now = new Date(systemClock.now());
      const middle = await middleOf(rig, storeId);
      const reads = [];
      for (const changedAfter of [undefined, middle]) {
        const query = { ...filter, ...(changedAfter && { changedAfter }) };
        const cursor = feedCursor(rig.collections.certificates, feedQuery(storeId, query, pageSize, now));
        reads.push(await cursor.explain("executionStats"));
      }
      return evaluate(reads);
    },
  })),
  ...["ada", "2", "ada buyer7", "jacket 1007", "nobody"].map((text) => ({
    name: `a page of ${pageSize} of a search for "${text}" reads at most ${searchMax} index keys and documents`,
    remedy,
    run: async (rig: DatabaseRig) => {
      const search = parseSearch(text);
      if (search === undefined) return failed("the search has no words");
      const storeId = await storeOfPlans(rig);
      const { certificates } = rig.collections;
      const filter = { newestBefore: new Date(systemClock.now()) };
      const plan = await planSearch(certificates, storeId, search, { filter, remainingMs: () => 10_000 });
      const query = feedQuery(storeId, filter, pageSize, new Date(systemClock.now()), { plan });
      // Certificates that are found by a rare word are sorted in memory.
      const options = { readMax: searchMax, allowedStages: plan.isByWord ? ["SORT"] : [] };
      return evaluate([await feedCursor(certificates, query).explain("executionStats")], options);
    },
  })),
  ...["ada", "2"].map((text) => ({
    name: `the count of the certificates with "${text}" reads at most one document`,
    remedy,
    run: async (rig: DatabaseRig) => {
      const [word] = parseSearch(text)?.words ?? [];
      if (word === undefined) return failed("the search has no words");
      const counting = wordCursor(rig.collections.certificates, await storeOfPlans(rig), word, countedMax);
      const plan = await counting.explain("executionStats");
      const read = plan.executionStats?.totalDocsExamined;
      return read > 1 ? failed(`${read} documents`) : evaluate([plan], { readMax: countedMax + 11, allowedStages: [] });
    },
  })),
  {
    name: `the query for the oldest event reads at most ${pageReadMax} index keys and documents`,
    remedy,
    run: async ({ collections }) => evaluate([await oldestCursor(collections.outbox).explain("executionStats")]),
  },
];

const stores = new WeakMap<DatabaseRig, Promise<string>>();

function storeOfPlans(rig: DatabaseRig): Promise<string> {
  const storeId = stores.get(rig) ?? insertCertificates(rig);
  stores.set(rig, storeId);
  return storeId;
}

/** Creates a store and fills it with certificates for the checks of query plans. @returns the store's id */
async function insertCertificates(rig: DatabaseRig): Promise<string> {
  const { collections, options, signal, log } = rig;
  const store = await rig.createStore();
  await issueSamples(rig, store, 1);
  await insertVariants(collections, store, {
    count: options.documents,
    signal,
    onProgress: (inserted) => log(`        ${inserted} of ${options.documents} certificates`),
  });
  return store;
}

async function middleOf({ collections, options }: DatabaseRig, store: string): Promise<Date | undefined> {
  const query = { store, serial: Math.floor(options.documents / 2) };
  return (await collections.certificates.findOne(query))?.updatedAt;
}

function evaluate(
  plans: readonly Document[],
  { readMax, allowedStages }: { readonly readMax: number; readonly allowedStages: readonly string[] } = {
    readMax: pageReadMax,
    allowedStages: [],
  },
): CheckResult {
  const reads: string[] = [];
  for (const { queryPlanner, executionStats } of plans) {
    const stages = stagesOf(queryPlanner?.winningPlan);
    const [keys, documents] = [executionStats?.totalKeysExamined, executionStats?.totalDocsExamined];
    if (typeof keys !== "number" || typeof documents !== "number")
      return skipped("the server does not report how many keys and documents it reads");
    if (["COLLSCAN", "SORT"].some((stage) => stages.includes(stage) && !allowedStages.includes(stage)))
      return failed(`the plan is ${stages.join(", ")}`);
    const seen = `${keys} keys and ${documents} documents`;
    if (keys > readMax || documents > readMax) return failed(seen);
    reads.push(seen);
  }
  return passed(reads.join("; "));
}
