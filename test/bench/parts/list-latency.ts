import { setTimeout as delay } from "node:timers/promises";
import { HttpConnection } from "../../harness/http-connection.ts";
import { quantile } from "../../harness/statistics.ts";
import type { BenchStack } from "../bench-stack.ts";
import { spreadOf } from "../compare.ts";
import type { BenchOptions } from "../options.ts";
import { measureUndisturbed, stealPercentOf } from "../steal-time.ts";
import { bareRequest, edgeRequest, type ListedStore } from "./list-requests.ts";
import { type Finding, figuresOnly } from "./part.ts";

/** The rate at which {@link windowOf} sends requests. */
export const requestsPerSecond = 100;
const windowsPerRound = 5;
// The p99 is then the third largest of 200 values.
const countMin = 200;
const limit = 50;

interface LatencySetup {
  /** Port of the bare process. */
  readonly port: number;
  readonly stores: readonly ListedStore[];
  readonly options: BenchOptions;
  readonly signal: AbortSignal;
}

/** A server and the requests that it receives in rotation. */
export interface Target {
  readonly port: number;
  readonly requests: readonly Buffer[];
}

/**
 * Compares the latency of pages from the edge and from the bare process in alternating windows. Requests are sent at a
 * constant rate (open loop). A single pause of a shared machine dominates the p99 of all requests, so the result is the
 * median of the p99 of the windows, with its range.
 */
export async function compareLatencies(
  { edge }: BenchStack,
  { port, stores, options, signal }: LatencySetup,
): Promise<Finding> {
  const bytesOf = (request: string) => Buffer.from(request);
  const targets = {
    service: { port: edge.port, requests: stores.map(({ apiKey }) => bytesOf(edgeRequest(apiKey, `limit=${limit}`))) },
    bare: { port, requests: stores.map(({ storeId }) => bytesOf(bareRequest(storeId, limit))) },
  };
  const count = Math.max(countMin, Math.round((requestsPerSecond * options.roundMs) / 1_000));
  const measured = { service: [], bare: [] } as Record<keyof typeof targets, Awaited<ReturnType<typeof windowOf>>[]>;
  for (let window = 0; window < windowsPerRound * options.rounds; window++) {
    for (const side of ["service", "bare"] as const) {
      signal.throwIfAborted();
      measured[side].push(await windowOf(targets[side], count));
    }
  }
  const quantilesOf = (side: keyof typeof targets, share: number) =>
    spreadOf(measured[side].map(({ value }) => quantile(value, share)));
  const ofAll = (side: keyof typeof targets) => measured[side].flatMap(({ value }) => value);
  const p99 = { service: quantilesOf("service", 0.99), bare: quantilesOf("bare", 0.99) };
  return figuresOnly(`list: latency (ms) of pages of ${limit} at ${requestsPerSecond}/s`, {
    service_p50_ms: quantilesOf("service", 0.5),
    service_p99_ms: p99.service,
    service_p99_of_all_ms: quantile(ofAll("service"), 0.99),
    bare_p50_ms: quantilesOf("bare", 0.5),
    bare_p99_ms: p99.bare,
    bare_p99_of_all_ms: quantile(ofAll("bare"), 0.99),
    p99_ratio: p99.service.median / p99.bare.median,
    stolen_percent: stealPercentOf([...measured.service, ...measured.bare]),
  });
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
