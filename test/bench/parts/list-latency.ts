import { setTimeout as delay } from "node:timers/promises";
import { HttpConnection } from "../../harness/http-connection.ts";
import { median, quantile } from "../../harness/statistics.ts";
import type { BenchStack } from "../bench-stack.ts";
import { spreadOf } from "../compare.ts";
import type { BenchOptions } from "../options.ts";
import { type Measured, measureUndisturbed, stealPercentOf } from "../steal-time.ts";
import { bareRequest, edgeRequest, type ListedStore } from "./list-requests.ts";
import { type Finding, figuresOnly } from "./part.ts";

/** The rate at which {@link windowOf} sends requests. */
export const requestsPerSecond = 100;
/** Number of latency windows for each round of the other measurements. */
export const windowsPerRound = 5;
const countMin = 20;
const limit = 50;

interface LatencySetup {
  /** Port of the bare process. */
  readonly port: number;
  readonly stores: readonly ListedStore[];
  readonly options: BenchOptions;
  readonly signal: AbortSignal;
}

/** A server and the requests that it receives in rotation. */
interface Target {
  readonly port: number;
  readonly requests: readonly Buffer[];
}

/**
 * Compares the latency of pages from the edge with that of pages from the bare process, in alternating windows. In the
 * `counting` windows, the bare process also makes one durable write per request, as the rate limit does. Requests are
 * sent at a constant rate (open loop). A single pause of a shared machine dominates the p99 of all requests, so the
 * result is the median and the range of the windows' p99.
 */
export async function compareLatencies(
  { edge }: BenchStack,
  { port, stores, options, signal }: LatencySetup,
): Promise<Finding> {
  const bytesOf = (request: string) => Buffer.from(request);
  const bare = (more: string) => stores.map(({ storeId }) => bytesOf(bareRequest(storeId, `limit=${limit}${more}`)));
  const targets = {
    service: { port: edge.port, requests: stores.map(({ apiKey }) => bytesOf(edgeRequest(apiKey, `limit=${limit}`))) },
    bare: { port, requests: bare("") },
    counting: { port, requests: bare("&counted") },
  };
  const count = requestsOfWindow(options);
  const sides = ["service", "bare", "counting"] as const;
  const measured: Record<(typeof sides)[number], LatencyWindow[]> = { service: [], bare: [], counting: [] };
  for (let window = 0; window < windowsPerRound * options.rounds; window++) {
    for (const side of sides) {
      signal.throwIfAborted();
      measured[side].push(await windowOf(targets[side], count));
    }
  }
  const { service, bare: withoutWrite, counting } = measured;
  return figuresOnly(`list: latency (ms) of pages of ${limit} at ${requestsPerSecond}/s`, {
    ...latencyFigures("service", service),
    ...latencyFigures("bare", withoutWrite),
    ...latencyFigures("counting", counting),
    p99_ratio: p99Of(service) / p99Of(withoutWrite),
    p99_ratio_counting: p99Of(service) / p99Of(counting),
    stolen_percent: stealPercentOf(Object.values(measured).flat()),
  });
}

/** Returns the number of requests in a window as long as a round; at least 20. */
export function requestsOfWindow({ roundMs }: Pick<BenchOptions, "roundMs">): number {
  return Math.max(countMin, Math.round((requestsPerSecond * roundMs) / 1_000));
}

/** The latencies of one window, in milliseconds. */
export type LatencyWindow = Measured<readonly number[]>;

/** Returns p50 and p99 of the windows, and the p99 of all requests, in milliseconds. */
export function latencyFigures(side: string, windows: readonly LatencyWindow[]): NonNullable<Finding["numbers"]> {
  const values = windows.map(({ value }) => value);
  const spreadAt = (share: number) => spreadOf(values.map((latencies) => quantile(latencies, share)));
  return {
    [`${side}_p50_ms`]: spreadAt(0.5),
    [`${side}_p99_ms`]: spreadAt(0.99),
    [`${side}_p99_of_all_ms`]: quantile(values.flat(), 0.99),
  };
}

/** Returns the median of the p99 of the windows, in milliseconds. */
export function p99Of(windows: readonly LatencyWindow[]): number {
  return median(windows.map(({ value }) => quantile(value, 0.99)));
}

/**
 * Measures the latencies of `count` requests, up to three times if the machine is disturbed.
 *
 * @param loadRound runs a round of another load during each measurement; default: none
 * @returns the least disturbed measurement
 */
export async function windowOf(target: Target, count: number, loadRound?: () => Promise<void>) {
  const measure = async () => (await Promise.all([latenciesOf(target, count), loadRound?.()]))[0];
  const [window] = await measureUndisturbed(measure, { count: 1 });
  if (window === undefined) throw new Error("nothing was measured");
  return window;
}

/** Sends requests at a constant rate. @returns the milliseconds from each planned start to the complete response */
async function latenciesOf({ port, requests }: Target, count: number): Promise<number[]> {
  const idle: HttpConnection[] = [];
  const opened: HttpConnection[] = [];
  const open = () => {
    const connection = new HttpConnection(port, () => undefined);
    opened.push(connection);
    return connection;
  };
  const startedAt = performance.now();
  const send = (request: Buffer, plannedAt: number) =>
    new Promise<number>((resolve, reject) => {
      const connection = idle.pop() ?? open();
      connection.send(request, (status) => {
        idle.push(connection);
        if (status === 200) resolve(performance.now() - plannedAt);
        else reject(new Error(`the status is ${status} instead of 200`));
      });
    });
  const responses: Promise<number>[] = [];
  for (let index = 0; index < count; index++) {
    const plannedAt = startedAt + (index * 1_000) / requestsPerSecond;
    await delay(Math.max(0, plannedAt - performance.now()));
    const response = send(requests[index % requests.length] ?? Buffer.alloc(0), plannedAt);
    // Promise.all() below reports a failure; until then the rejection must not count as unhandled.
    response.catch(() => undefined);
    responses.push(response);
  }
  try {
    return await Promise.all(responses);
  } finally {
    for (const connection of opened) connection.destroy();
  }
}
