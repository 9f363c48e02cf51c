import { Code, ConnectError } from "@connectrpc/connect";
import { systemClock } from "#shared/time/clock.ts";
import { actorRandom, type SeededRandom } from "../../harness/seeded-random.ts";
import type { RegistryClients } from "../../harness/stack/registry-clients.ts";
import type { AcknowledgedChange, AcknowledgedChanges } from "./acknowledged-changes.ts";
import type { Counter } from "./counter.ts";
import { chooseOperation, type Operation } from "./operations.ts";
import type { WorkloadStore } from "./workload-store.ts";

/** Options of {@link runWriter}. */
export interface WriterSetup {
  readonly name: string;
  readonly seed: number;
  readonly stores: readonly WorkloadStore[];
  readonly registries: readonly RegistryClients[];
  readonly acknowledged: AcknowledgedChanges;
  /** Counts calls by result. */
  readonly calls: Counter;
  /** Returns whether the writers have made enough changes. */
  readonly isEnough: () => boolean;
  readonly signal: AbortSignal;
  /** Probability that an operation uses the certificate of the previous operation, 0 to 1. Default 0. */
  readonly sameCertificateProbability?: number;
  /** Returns the mean pause before the writer chooses another certificate, in milliseconds. Default: no pause. */
  readonly pauseMs?: () => number;
}

// A killed registry can leave a store locked for the lifetime of a transaction. This is twenty times that lifetime.
const definiteWithinMs = 300_000;
// An operation that takes longer probably waits for a restart or for a transaction that a killed registry left open.
const delayedAfterMs = 500;
// Makes the writers compete for one busy store, through all registries. With a much higher probability, most of the
// work would be write conflicts.
const busyStoreProbability = 0.25;
const retryPauseMaxMs = 200;

// The change may be durable, so the writer sends the same request again.
const unknownOutcome: readonly Code[] = [
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.Canceled,
  Code.Unknown,
  Code.Internal,
];
// Nothing was written. If the certificate is missing although its issue was acknowledged, the feed check reports it.
const refused: readonly Code[] = [Code.FailedPrecondition, Code.NotFound];

/**
 * Makes random changes sequentially until `isEnough` returns true.
 *
 * @throws the signal's reason when it aborts; Error when an operation fails unexpectedly or its outcome stays unknown
 */
export async function runWriter(setup: WriterSetup): Promise<void> {
  const { name, seed, stores, acknowledged, isEnough, signal } = setup;
  const { sameCertificateProbability = 0, pauseMs = () => 0 } = setup;
  const random = actorRandom(seed, name);
  // A separate random sequence, because the number of retries must not influence later operations.
  const routes = actorRandom(seed, `${name}'s routes`);
  let last: Operation | undefined;
  for (let count = 0; !isEnough(); count++) {
    signal.throwIfAborted();
    if (sameCertificateProbability === 0 || !random.chance(sameCertificateProbability)) {
      last = undefined;
      await systemClock.sleep(routes.below(2 * pauseMs()), signal);
    }
    const store = last?.store ?? chooseStore(stores, random);
    last = chooseOperation(store, random, `${name}-${count}`, last?.certificateId);
    acknowledged.add(store.id, await markDelay(store, sendUntilDefinite(setup, last, routes)));
  }
}

/** Prefers stores without delayed operations: otherwise all writers would soon wait for the same locked stores. */
function chooseStore(stores: readonly WorkloadStore[], random: SeededRandom): WorkloadStore {
  const prompt = stores.filter(({ delayed }) => delayed === 0);
  const [busy] = prompt;
  if (busy !== undefined && busy === stores[0] && random.chance(busyStoreProbability)) return busy;
  return random.pick(prompt.length === 0 ? stores : prompt);
}

/** Marks the store as delayed while the work takes longer than usual. */
async function markDelay<Result>(store: WorkloadStore, work: Promise<Result>): Promise<Result> {
  let isDelayed = false;
  const timer = setTimeout(() => {
    isDelayed = true;
    store.delayed++;
  }, delayedAfterMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    if (isDelayed) store.delayed--;
  }
}

/**
 * Sends an operation, each time to a random registry, until its outcome is known.
 *
 * @throws the signal's reason when it aborts; Error for an unexpected code, or when the outcome is still unknown after
 * five minutes
 */
async function sendUntilDefinite(
  { name, registries, calls, signal }: WriterSetup,
  operation: Operation,
  routes: SeededRandom,
): Promise<AcknowledgedChange[]> {
  const deadline = performance.now() + definiteWithinMs;
  for (;;) {
    signal.throwIfAborted();
    try {
      const changes = await operation.send(routes.pick(registries));
      calls.add("OK");
      return changes;
    } catch (error) {
      const { code } = ConnectError.from(error);
      calls.add(Code[code]);
      if (refused.includes(code)) return [];
      if (!unknownOutcome.includes(code) || performance.now() >= deadline)
        throw new Error(`${name} could not ${operation.kind}: ${error}`, { cause: error });
    }
    await systemClock.sleep(routes.below(retryPauseMaxMs), signal);
  }
}
