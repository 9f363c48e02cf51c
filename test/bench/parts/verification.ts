import type { Turn } from "../alternate.ts";
import type { BenchStack, StackVariables } from "../bench-stack.ts";
import { ratioOf, spreadOf } from "../compare.ts";
import type { BenchOptions } from "../options.ts";
import { stealPercentOf } from "../steal-time.ts";
import {
  type LatencyWindow,
  latencyFigures,
  p99Of,
  requestsOfWindow,
  requestsPerSecond,
  windowOf,
  windowsPerRound,
} from "./list-latency.ts";
import { createListedStores, edgeRequest, type ListedStore } from "./list-requests.ts";
import { connections, edgeSide, servicesCpu } from "./list-sides.ts";
import { compareSides, type Finding, figuresOnly, type Part } from "./part.ts";
import { openLoad } from "./sides.ts";
import { linkTokenIn } from "./stores.ts";

const certificatesOfStore = 60;
const openingsPerSecond = 1_000;
const pageSize = 50;

/** Variables that effectively disable the edge's limit on pages per second. */
export const manyPages: StackVariables = { edge: { EDGE_PAGES_PER_SECOND_MAX: "1000000" } };

/**
 * Measures the verification page of one popular certificate: its cost compared with that of a page of the list, and how
 * 1,000 openings per second change the latency of the list.
 */
export const measureVerification: Part = async (stack, options, signal) => {
  const stores = await createListedStores(stack, options.stores, certificatesOfStore);
  await stack.deliveries.pause();
  const page = await popularPage(stack, stores);
  const lists = stores.map(({ apiKey }) => edgeRequest(apiKey, `limit=${pageSize}`));
  const sides = [edgeSide(stack, "service", [page]), edgeSide(stack, "list", lists)];
  const title = `page of one certificate, compared with list pages of ${pageSize}, over ${connections} connections`;
  return {
    page: await compareSides(`verification: ${title}`, sides, options, signal, costsOf),
    flood: await measureFlood(stack, page, lists, options, signal),
  };
};

/** Records the first opening of a certificate's page, and returns the request for that page. */
async function popularPage(stack: BenchStack, [store]: readonly ListedStore[]): Promise<string> {
  const linkToken = await linkTokenIn(stack, store?.storeId ?? "");
  await stack.registry.verification.recordVerification({ linkToken });
  return `GET /verify/${linkToken} HTTP/1.1\r\nHost: bench.example.test\r\nAccept-Encoding: gzip\r\n\r\n`;
}

/** Returns the CPU time of edge and registry together, per verification page and per list page, and their ratio. */
function costsOf({ service, list }: Readonly<Record<string, readonly Turn[]>>) {
  const [ours, theirs] = [servicesCpu(service), servicesCpu(list)];
  return {
    cpu_micros_page: spreadOf(ours),
    cpu_micros_list: spreadOf(theirs),
    cpu_ratio_list: ratioOf(ours, theirs),
  };
}

/** Compares the latency of the list in alternating windows, without and during a flood of openings. */
async function measureFlood(
  stack: BenchStack,
  page: string,
  lists: readonly string[],
  options: BenchOptions,
  signal: AbortSignal,
): Promise<Finding> {
  const { port } = stack.edge;
  const setup = { port, connections, requests: [page], status: 200, perSecond: openingsPerSecond };
  const load = await openLoad(stack, "http-requests.ts", setup);
  const target = { port, requests: lists.map((request) => Buffer.from(request)) };
  const count = requestsOfWindow(options);
  const windows = { without: [] as LatencyWindow[], during: [] as LatencyWindow[] };
  const rates: number[] = [];
  const flood = async () => {
    const { units, elapsedMs } = await load.round(options.roundMs);
    rates.push((units / elapsedMs) * 1_000);
  };
  for (let window = 0; window < windowsPerRound * options.rounds; window++) {
    signal.throwIfAborted();
    windows.without.push(await windowOf(target, count));
    windows.during.push(await windowOf(target, count, flood));
  }
  await load.close();
  const title = `list pages at ${requestsPerSecond}/s, without and during openings of one page`;
  return figuresOnly(`verification: latency (ms) of ${title}`, {
    openings_per_second: spreadOf(rates),
    ...latencyFigures("without", windows.without),
    ...latencyFigures("during", windows.during),
    list_p99_ratio: p99Of(windows.during) / p99Of(windows.without),
    stolen_percent: stealPercentOf([...windows.without, ...windows.during]),
  });
}
