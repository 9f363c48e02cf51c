import type { StackReceiver } from "../../harness/receiver/start-receiver.ts";
import type { Stack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { readEvents, readOutcomes } from "./expected-state.ts";
import { settle } from "./settle.ts";
import type { StoreTrigger } from "./store-triggers.ts";
import { evaluateTriggers, isTriggerRequest } from "./trigger-verdict.ts";
import { evaluate } from "./verdict.ts";
import type { WebhookStore } from "./webhook-stores.ts";

/** Input of {@link evaluateStack}. */
interface StackToEvaluate {
  readonly stack: Pick<Stack, "collections" | "nats" | "notifiers"> & { readonly receiver: StackReceiver };
  readonly stores: readonly WebhookStore[];
  /** The stores' triggers. Default: none. */
  readonly triggers?: readonly StoreTrigger[];
  /** Number of times that a process was killed. */
  readonly kills: number;
  /** Time without progress after which the wait for outcomes ends. */
  readonly quietMs: number;
  /** Whether to wait for outcomes, which the events may never get without a running notifier. */
  readonly waits: boolean;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Waits until no further outcome is expected, then compares the delivery log and the receiver's requests with the
 * events. Without `waits`, or when the signal aborts, stops the notifiers before the comparison instead.
 */
export async function evaluateStack(input: StackToEvaluate) {
  const { stack, stores, triggers = [], kills, quietMs, waits, signal, log } = input;
  const { collections, nats, notifiers, receiver } = stack;
  const outcomesBefore = await readOutcomes(collections);
  const isSettled = waits && (await settle({ collections, triggers, natsUrl: nats.url, quietMs, signal, log }));
  // Messages that a notifier sends between the following reads would look like faults.
  if (!isSettled) await Promise.allSettled(notifiers.map((notifier) => notifier.stop()));
  const outcomes = await readOutcomes(collections);
  const events = await readEvents(collections);
  const allRequests = await receiver.requests();
  const requests = allRequests.filter((request) => !isTriggerRequest(request));
  const byId = new Map(stores.map((store) => [store.id, store]));
  const processEnds = kills + (isSettled ? 0 : notifiers.length);
  const verdict = evaluate({ events, stores: byId, outcomes, outcomesBefore, requests, processEnds, isSettled });
  const ofTriggers = evaluateTriggers({ events, triggers, requests: allRequests, isSettled });
  return { verdict, triggers: ofTriggers, events: events.length, outcomes, isSettled };
}
