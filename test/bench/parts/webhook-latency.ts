import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { inStore } from "../../harness/in-store.ts";
import { quantile } from "../../harness/statistics.ts";
import type { Target } from "../baseline/transfer.ts";
import type { BenchStack } from "../bench-stack.ts";
import type { WorkerTarget } from "../loads/transfer-workers.ts";
import type { BenchOptions } from "../options.ts";
import { busyPercentOf, measureUndisturbed, stealPercentOf } from "../steal-time.ts";
import { type Finding, figuresOnly } from "./part.ts";

const eventsPerSecond = 100;
/** A rate at which two cores are mostly idle, so that latency is work and not a wait for a CPU. */
export const calmEventsPerSecond = 25;
const countMin = 20;
// Length of a measurement, in rounds: enough that the 99th percentile depends on more than one event.
const roundsLong = 4;
const windows = 3;

/** A confirmed change. Times are Unix timestamps in milliseconds. */
interface Answer {
  readonly certificateId: string;
  /** The certificate's `updatedAt`: the time that the transaction assigned to the change. */
  readonly occurredAt: number;
  /** Time of the response that confirmed the change. */
  readonly answeredAt: number;
}

/** Measures the latency of messages while changes are made at two constant rates. */
export async function measureLatency(
  stack: BenchStack,
  targets: readonly WorkerTarget[],
  options: BenchOptions,
): Promise<Finding> {
  // Not measured: after the backlog's inserts, the stand-in's first read of certificates takes seconds.
  await latenciesAtConstantRate(stack, targets, { roundMs: 0 }, eventsPerSecond);
  const measureAt = (perSecond: number) =>
    measureUndisturbed(() => latenciesAtConstantRate(stack, targets, options, perSecond), { count: windows });
  const fast = await measureAt(eventsPerSecond);
  const calm = await measureAt(calmEventsPerSecond);
  const sinceAnswerOf = (measured: typeof fast) => measured.flatMap(({ value }) => value.sinceAnswer);
  const sinceChange = fast.flatMap(({ value }) => value.sinceChange);
  const rates = `at ${eventsPerSecond}/s and, as calm, at ${calmEventsPerSecond}/s`;
  return figuresOnly(`webhooks: message latency (ms) over ${targets.length} stores ${rates}`, {
    ...quantiles("since_answer", sinceAnswerOf(fast)),
    ...quantiles("since_change", sinceChange),
    busy_percent: busyPercentOf(fast),
    ...quantiles("calm_since_answer", sinceAnswerOf(calm)),
    calm_busy_percent: busyPercentOf(calm),
    stolen_percent: stealPercentOf([...fast, ...calm]),
  });
}

/**
 * Makes changes at a constant rate (open loop: independent of responses) and waits for their messages. A change is
 * committed between the time assigned to it and the arrival of the response at the caller, so latencies are measured
 * from both times, in milliseconds.
 */
export async function latenciesAtConstantRate(
  stack: BenchStack,
  targets: readonly WorkerTarget[],
  { roundMs }: Pick<BenchOptions, "roundMs">,
  perSecond: number,
) {
  const count = Math.max(countMin, Math.round((perSecond * roundsLong * roundMs) / 1_000));
  // Changes rotate over the stores, and over the certificates of each store.
  const turns = Math.max(...targets.map(({ certificateIds }) => certificateIds.length));
  const certificates = Array.from({ length: turns }, (_, turn) =>
    targets.map(({ storeId, certificateIds }) => {
      return { storeId, certificateId: certificateIds[turn % certificateIds.length] ?? "" };
    }),
  ).flat();
  const startedAt = performance.now();
  const changes: Promise<Answer>[] = [];
  for (let index = 0; index < count; index++) {
    await delay(Math.max(0, startedAt + (index * 1_000) / perSecond - performance.now()));
    const certificate = certificates[index % certificates.length];
    if (certificate === undefined) throw new Error("no certificate to transfer");
    const change = transfer(stack, certificate);
    // Promise.all() below reports a failure; until then the rejection must not count as unhandled.
    change.catch(() => undefined);
    changes.push(change);
  }
  const answers = await Promise.all(changes);
  const arrivals = await stack.arrivals.collect(count);
  const key = ({ certificateId, occurredAt }: Omit<Answer, "answeredAt">) => `${certificateId} ${occurredAt}`;
  const arrivedAt = new Map(arrivals.map((arrival) => [key(arrival), arrival.arrivedAt]));
  const latenciesSince = (since: (answer: Answer) => number) =>
    answers.map((answer) => (arrivedAt.get(key(answer)) ?? Number.NaN) - since(answer));
  return {
    sinceChange: latenciesSince(({ occurredAt }) => occurredAt),
    sinceAnswer: latenciesSince(({ answeredAt }) => answeredAt),
  };
}

async function transfer({ registry }: BenchStack, target: Target): Promise<Answer> {
  // A transfer to the current owner would change nothing, so each transfer has a new owner.
  const newOwner = { newOwnerName: "Ada Example", newOwnerEmail: `${randomUUID()}@example.test` };
  const { certificate } = await registry.lifecycle.transferCertificate(
    { ...target, ...newOwner },
    inStore(target.storeId),
  );
  const occurredAt = Date.parse(String(certificate?.updatedAt));
  return { certificateId: target.certificateId, occurredAt, answeredAt: Date.now() };
}

function quantiles(name: string, latenciesMs: readonly number[]): Record<string, number> {
  return {
    [`${name}_p50_ms`]: quantile(latenciesMs, 0.5),
    [`${name}_p99_ms`]: quantile(latenciesMs, 0.99),
    [`${name}_max_ms`]: quantile(latenciesMs, 1),
  };
}
