import type { StackReceiver } from "../../harness/receiver/start-receiver.ts";
import type { Stack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { type LoggedOutcome, readEvents, readOutcomes } from "./expected-state.ts";
import { settle } from "./settle.ts";
import { evaluate, type Verdict } from "./verdict.ts";
import type { WebhookStore } from "./webhook-stores.ts";

/** Input of {@link evaluateStack}. */
export interface StackToEvaluate {
  readonly stack: Pick<Stack, "collections" | "nats" | "notifiers"> & { readonly receiver: StackReceiver };
  readonly stores: readonly WebhookStore[];
  /** Number of times that a process was killed. */
  readonly kills: number;
  /** Gives up the wait for outcomes after this time without progress. */
  readonly quietMs: number;
  /** Whether to wait for outcomes. Without a notifier, events may wait for one indefinitely. */
  readonly waits: boolean;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** The result of {@link evaluateStack}. */
export interface EvaluatedStack {
  readonly verdict: Verdict;
  /** Number of events. */
  readonly events: number;
  /** By event id. */
  readonly outcomes: ReadonlyMap<string, LoggedOutcome>;
  /** Whether every event had time to get an outcome. */
  readonly isSettled: boolean;
}

/** Waits until the events have outcomes, and compares the delivery log and the receiver's requests with them. */
export async function evaluateStack(input: StackToEvaluate): Promise<EvaluatedStack> {
  const { stack, stores, kills, quietMs, waits, signal, log } = input;
  const { collections, nats, notifiers, receiver } = stack;
  const outcomesBefore = await readOutcomes(collections);
  const isSettled = waits && (await settle({ collections, natsUrl: nats.url, quietMs, signal, log }));
  // Messages that a notifier sends between the following reads would look like faults.
  if (!isSettled) await Promise.allSettled(notifiers.map((notifier) => notifier.stop()));
  const outcomes = await readOutcomes(collections);
  const events = await readEvents(collections);
  const requests = await receiver.requests();
  const byId = new Map(stores.map((store) => [store.id, store]));
  const processEnds = kills + (isSettled ? 0 : notifiers.length);
  const verdict = evaluate({ events, stores: byId, outcomes, outcomesBefore, requests, processEnds, isSettled });
  return { verdict, events: events.length, outcomes, isSettled };
}
