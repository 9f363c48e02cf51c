import { Code, ConnectError } from "@connectrpc/connect";
import { systemClock } from "#shared/time/clock.ts";
import type { SeededRandom } from "../../harness/seeded-random.ts";
import type { CheckedStore } from "./checked-store.ts";
import { choicesOf } from "./choices.ts";
import { chooseOperation, type Operation } from "./operations.ts";
import type { RegistryCalls } from "./registry-calls.ts";
import type { Tally } from "./tally.ts";
import type { Told, ToldChange } from "./told.ts";

/** What a writer works with. */
export interface WriterSetup {
  readonly name: string;
  readonly seed: number;
  readonly stores: readonly CheckedStore[];
  readonly registries: readonly RegistryCalls[];
  readonly told: Told;
  /** Counts what the calls ended with. */
  readonly tally: Tally;
  /** Whether there are enough changes. */
  readonly isEnough: () => boolean;
  /** Ends it early. */
  readonly over: AbortSignal;
  /** How likely an operation is about the certificate of the one before, 0 to 1. Default 0. */
  readonly staysLikelihood?: number;
  /** Mean pause before it turns to another certificate, in milliseconds. Default 0. */
  readonly restMs?: () => number;
}

// Longer than a transaction of a killed registry can hold on to its store (MongoDB: 60 s).
const definiteWithinMs = 120_000;
const repeatPauseMaxMs = 200;

// Nothing is known about what became of the change: the same request must be sent again.
const unknownOutcome: readonly Code[] = [
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.Canceled,
  Code.Unknown,
  Code.Internal,
];
// A definite no. A certificate that is gone shows in the end as a phantom.
const refused: readonly Code[] = [Code.FailedPrecondition, Code.NotFound];

/** Makes random changes, one after the other, until there are enough. */
export async function runWriter(setup: WriterSetup): Promise<void> {
  const { name, seed, stores, told, isEnough, over, staysLikelihood = 0, restMs = () => 0 } = setup;
  const random = choicesOf(seed, name);
  // Apart from the operations: how often one has to be repeated must not change the ones that follow.
  const routes = choicesOf(seed, `${name}'s routes`);
  let last: Operation | undefined;
  for (let count = 0; !isEnough(); count++) {
    over.throwIfAborted();
    if (staysLikelihood === 0 || !random.chance(staysLikelihood)) {
      last = undefined;
      await systemClock.sleep(routes.below(2 * restMs()), over);
    }
    const store = last?.store ?? random.pick(stores);
    last = chooseOperation(store, random, `${name}-${count}`, last?.certificateId);
    told.add(store.id, await untilDefinite(setup, last, routes));
  }
}

/** Sends an operation, each time to any of the registries, until it is known what became of it. */
async function untilDefinite(
  { name, registries, tally, over }: WriterSetup,
  operation: Operation,
  routes: SeededRandom,
): Promise<ToldChange[]> {
  const deadline = systemClock.now() + definiteWithinMs;
  for (;;) {
    over.throwIfAborted();
    try {
      const changes = await operation.send(routes.pick(registries));
      tally.add("OK");
      return changes;
    } catch (error) {
      const { code } = ConnectError.from(error);
      tally.add(Code[code]);
      if (refused.includes(code)) return [];
      if (!unknownOutcome.includes(code) || systemClock.now() >= deadline)
        throw new Error(`${name} could not ${operation.kind}: ${error}`, { cause: error });
    }
    await systemClock.sleep(routes.below(repeatPauseMaxMs), over);
  }
}
