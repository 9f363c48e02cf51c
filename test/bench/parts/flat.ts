import type { Document } from "mongodb";
import { systemClock } from "#shared/time/clock.ts";
import { isStandIn } from "../../../deploy/local/servers/stand-in/stand-in-databases.ts";
import { feedCursor, feedQuery } from "../../../services/registry/mongo/certificates/feed-query.ts";
import { plannedFilters } from "../../harness/query-plans.ts";
import type { Turn } from "../alternate.ts";
import type { BenchStack } from "../bench-stack.ts";
import { cpuOf, ratioOf } from "../compare.ts";
import { createLargeStore } from "./large-stores.ts";
import { edgeRequest, type ListedStore } from "./list-requests.ts";
import { edgeSide } from "./list-sides.ts";
import { compareSides, type Finding, figuresOnly, type Part } from "./part.ts";
import { type LoadSide, serviceSide } from "./sides.ts";

const smallCount = 1_000;
const defaultLargeCount = 1_000_000;
// A stand-in reads the whole range of a sorted query.
const standInLargeCount = 100_000;
const pageSize = 50;
const connections = 8;
// One at a time: a stand-in for MongoDB needs a large part of a request's time limit for the first page.
const connectionsOfFirstPage = 1;
const changedCertificates = 200;
const longAgo = "2000-01-01T00:00:00.000Z";

interface PageQueries {
  readonly large: string;
  readonly small: string;
}

/**
 * Compares a store with 1,000 certificates and a large store, by default with 1,000,000 (100,000 on a stand-in for
 * MongoDB), by the cost of a page and by that of a change. Counts the index keys that a page with each filter reads in
 * the large store.
 *
 * `page` reads from a position 1,000 certificates before the end, so that the same number of certificates follows in
 * both stores; `first_page` reads from the beginning. A stand-in for MongoDB reads all certificates after the position.
 */
export const measureFlat: Part = async (stack, options, signal) => {
  const largeCount = options.large ?? (isStandIn(stack.databaseKind) ? standInLargeCount : defaultLargeCount);
  const small = await createLargeStore(stack, smallCount, signal);
  const large = await createLargeStore(stack, largeCount, signal);
  await stack.deliveries.pause();
  const of = `${pageSize} certificates; store with ${largeCount} certificates compared with one with ${smallCount}`;
  const pages = async (title: string, queries: PageQueries, connections: number): Promise<Finding> => {
    const sides = [
      edgeSide(stack, "service", requestsOf(large, queries.large), { connections }),
      edgeSide(stack, "small", requestsOf(small, queries.small), { connections }),
    ];
    return compareSides(`flat: ${title}, ${of}`, sides, options, signal, costsOf);
  };
  const position = await positionBeforeEnd(stack, large.storeId, smallCount);
  const since = (time: string) => `limit=${pageSize}&updated_since=${time}`;
  const page = await pages("page near the end", { large: since(position), small: since(longAgo) }, connections);
  const first = `limit=${pageSize}`;
  const firstPage = await pages("first page", { large: first, small: first }, connectionsOfFirstPage);
  const changes = [changeSide(stack, "service", large), changeSide(stack, "small", small)];
  return {
    page,
    first_page: firstPage,
    change: await compareSides(
      "flat: transfers by one caller, large store compared with small",
      changes,
      options,
      signal,
      costsOf,
    ),
    plans: figuresOnly(`flat: index keys that a page of ${pageSize} reads in the large store`, {
      ...(await keysExamined(stack, large.storeId, largeCount)),
    }),
  };
};

const requestsOf = ({ apiKey }: ListedStore, query: string) => [edgeRequest(apiKey, query)];

async function changeSide(stack: BenchStack, name: string, { storeId }: ListedStore): Promise<LoadSide> {
  const found = stack.collections.certificates.find({ store: storeId, status: "active" });
  const certificateIds = (await found.limit(changedCertificates).toArray()).map(({ _id }) => _id);
  const setup = { registry: stack.registryTarget, targets: [{ storeId, certificateIds }] };
  return { ...(await serviceSide(stack, "registry-transfers.ts", setup, "deliver")), name };
}

/** Returns the ratios of the CPU time in the large store to that in the small one. */
function costsOf({ service, small }: Readonly<Record<string, readonly Turn[]>>) {
  const ratio = (...processes: string[]) => ratioOf(cpuOf(service, ...processes), cpuOf(small, ...processes));
  return { cpu_ratio_services: ratio("edge", "registry"), cpu_ratio_database: ratio("database") };
}

/** Returns the `updatedAt` after which a store has this number of certificates. */
async function positionBeforeEnd({ collections }: BenchStack, store: string, count: number): Promise<string> {
  const found = collections.certificates.find({ store }).sort({ updatedAt: -1 }).skip(count).limit(1);
  const certificate = await found.next();
  if (certificate === null) throw new Error(`the store has no more than ${count} certificates`);
  return certificate.updatedAt.toISOString();
}

/**
 * Returns how many index keys a page with each filter reads, and the maximum over all filters. Reads a page from the
 * beginning and one from the middle of the store, and returns the larger count; NaN if the server reports no counts.
 */
async function keysExamined(
  { collections }: BenchStack,
  store: string,
  count: number,
): Promise<Record<string, number>> {
  const { certificates } = collections;
  const middle = await certificates.findOne({ store, serial: Math.floor(count / 2) });
  const now = new Date(systemClock.now());
  const keys: Record<string, number> = {};
  for (const [name, filter] of plannedFilters) {
    for (const changedAfter of [undefined, middle?.updatedAt]) {
      const query = { ...filter, ...(changedAfter && { changedAfter }) };
      const plan: Document = await feedCursor(certificates, feedQuery(store, query, pageSize, now)).explain(
        "executionStats",
      );
      const examined: unknown = plan.executionStats?.totalKeysExamined;
      const figure = `keys_examined_${name.replace(/[^a-z]+/gi, "_")}`;
      keys[figure] = Math.max(keys[figure] ?? 0, typeof examined === "number" ? examined : Number.NaN);
    }
  }
  return { keys_examined_max: Math.max(...Object.values(keys)), ...keys };
}
