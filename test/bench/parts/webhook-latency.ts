import { setTimeout as delay } from "node:timers/promises";
import { quantile } from "../../checks/runner/statistics.ts";
import type { Target } from "../bare/bare-transfer.ts";
import type { BenchStack } from "../bench-stack.ts";
import type { WorkerTarget } from "../loads/transfer-workers.ts";
import type { BenchOptions } from "../options.ts";
import type { ReceiverProcess } from "../receiver/receiver-process.ts";
import { measureUndisturbed, stolenPercentOf } from "../stolen-time.ts";
import type { Finding } from "./part.ts";

const eventsPerSecond = 100;
const countMin = 20;
// Enough events for the worst of a hundred to be more than one of them.
const roundsLong = 4;
const windows = 3;

interface Answer {
  readonly certificateId: string;
  /** The certificate's `updatedAt`: taken when the transaction begins. */
  readonly occurredAt: number;
  /** When the caller was told that the change is durable. */
  readonly answeredAt: number;
}

/** How long messages took to arrive, each of them, in milliseconds. */
export interface Waits {
  /** Since the change's own time. */
  readonly sinceChange: readonly number[];
  /** Since the caller was told that the change is durable. */
  readonly sinceAnswer: readonly number[];
}

/** How long a message takes to arrive while changes are made at a steady pace. */
export async function measureLatency(
  stack: BenchStack,
  receiver: ReceiverProcess,
  targets: readonly WorkerTarget[],
  options: BenchOptions,
): Promise<Finding> {
  const measured = await measureUndisturbed(() => waitsAtSteadyPace(stack, receiver, targets, options), {
    count: windows,
  });
  const sinceAnswer = measured.flatMap(({ value }) => value.sinceAnswer);
  const sinceChange = measured.flatMap(({ value }) => value.sinceChange);
  const changes = `${sinceAnswer.length} changes over ${targets.length} stores at ${eventsPerSecond}/s`;
  return {
    title: `webhooks: ${changes}, ms until they arrive`,
    sides: {},
    shareOf: {},
    numbers: {
      ...quantiles("since_answer", sinceAnswer),
      ...quantiles("since_change", sinceChange),
      stolen_percent: stolenPercentOf(measured),
    },
  };
}

/**
 * Makes changes at a steady pace, whether or not the earlier ones are done, and waits for their messages. A commit lies
 * between the change's time and the caller's answer: the wait is told from both.
 */
export async function waitsAtSteadyPace(
  stack: BenchStack,
  receiver: ReceiverProcess,
  targets: readonly WorkerTarget[],
  { roundMs }: Pick<BenchOptions, "roundMs">,
): Promise<Waits> {
  const count = Math.max(countMin, Math.round((eventsPerSecond * roundsLong * roundMs) / 1_000));
  // Store after store, and of each store one certificate after the other.
  const turns = Math.max(...targets.map(({ certificateIds }) => certificateIds.length));
  const certificates = Array.from({ length: turns }, (_, turn) =>
    targets.map(({ storeId, certificateIds }) => {
      return { storeId, certificateId: certificateIds[turn % certificateIds.length] ?? "" };
    }),
  ).flat();
  const startedAt = performance.now();
  const changes: Promise<Answer>[] = [];
  for (let index = 0; index < count; index++) {
    await delay(Math.max(0, startedAt + (index * 1_000) / eventsPerSecond - performance.now()));
    const certificate = certificates[index % certificates.length];
    if (certificate === undefined) throw new Error("there is no certificate");
    const change = transfer(stack, certificate, index);
    // Told when all are awaited, and must not go unhandled before.
    change.catch(() => undefined);
    changes.push(change);
  }
  const answers = await Promise.all(changes);
  const { arrivals } = await receiver.collect(count);
  const key = ({ certificateId, occurredAt }: Omit<Answer, "answeredAt">) => `${certificateId} ${occurredAt}`;
  const arrivedAt = new Map(arrivals.map((arrival) => [key(arrival), arrival.arrivedAt]));
  const waits = (since: (answer: Answer) => number) =>
    answers.map((answer) => (arrivedAt.get(key(answer)) ?? Number.NaN) - since(answer));
  return {
    sinceChange: waits(({ occurredAt }) => occurredAt),
    sinceAnswer: waits(({ answeredAt }) => answeredAt),
  };
}

async function transfer({ registry }: BenchStack, target: Target, index: number): Promise<Answer> {
  const newOwner = { newOwnerName: "Ada Example", newOwnerEmail: `owner${index}@example.test` };
  const { certificate } = await registry.lifecycle.transferCertificate({ ...target, ...newOwner });
  const occurredAt = Date.parse(String(certificate?.updatedAt));
  return { certificateId: target.certificateId, occurredAt, answeredAt: Date.now() };
}

function quantiles(name: string, waitsMs: readonly number[]): Record<string, number> {
  return {
    [`${name}_p50_ms`]: quantile(waitsMs, 0.5),
    [`${name}_p99_ms`]: quantile(waitsMs, 0.99),
    [`${name}_max_ms`]: quantile(waitsMs, 1),
  };
}
