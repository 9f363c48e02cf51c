import { ServiceError } from "#shared/errors/service-error.ts";
import type { DeliveryOutcome } from "../deliveries/delivery.ts";
import type { StoreChange } from "../stores/store-history.ts";
import { decideFailure, pauseMs, type RetryPolicy, recoveryFailures } from "./retry-policy.ts";
import type { Disabled, Triggers } from "./trigger.ts";
import type { QueuedEvent, TriggerQueue } from "./trigger-queue.ts";

/** The result of an attempt under a lease. */
export interface AttemptResult {
  /** Id of the event in the queue. */
  readonly id: string;
  readonly token: string;
  readonly outcome: DeliveryOutcome;
}

/** Dependencies of {@link recordTriggerAttempts}. */
export interface RecordAttemptsDeps {
  readonly queue: TriggerQueue;
  readonly triggers: Pick<Triggers, "disable">;
  readonly policy: RetryPolicy;
  /** Called after a trigger has been disabled because its receiver kept failing or replied 410. */
  readonly onDisabled: (trigger: { readonly triggerId: string; readonly storeId: string }) => void;
}

/** The actor that the store's history shows for triggers disabled by the registry. */
const registryActor = "certificate-registry";

/**
 * Records the results of attempts. After a failed attempt, schedules the next one, or gives up the event and, if the
 * receiver keeps failing or no longer exists, disables the trigger. A result is ignored if its event is settled or has
 * been leased for another attempt since: accepting the result would make the certificate's next event due while the
 * other attempt is still sending this event.
 *
 * Until an event is settled, each write leaves a state from which the event is sent again, so that a crash loses
 * nothing.
 */
export async function recordTriggerAttempts(
  deps: RecordAttemptsDeps,
  results: readonly AttemptResult[],
): Promise<void> {
  const { events, now } = await deps.queue.leased(results);
  for (const { id, outcome } of results) {
    const event = events.get(id);
    if (event !== undefined) await recordOne(deps, event, outcome, now);
  }
}

async function recordOne(
  deps: RecordAttemptsDeps,
  event: QueuedEvent,
  outcome: DeliveryOutcome,
  now: Date,
): Promise<void> {
  const { queue, policy } = deps;
  const { triggerId } = event;
  const isTest = event.eventId.startsWith("tst_");
  if (outcome.kind === "skipped") return queue.settle(event, "skipped", outcome);
  if (outcome.kind === "delivered") {
    const failures = await queue.delivered(triggerId, now);
    await queue.settle(event, "delivered", outcome);
    // The backlog of a recovered receiver need not wait until its backoff delays have passed.
    if (failures >= recoveryFailures) await queue.makeAllDue(triggerId, now);
    return;
  }
  if (isTest) return queue.settle(event, "given_up", outcome);
  // The sender was stopped or paused, which says nothing about the receiver.
  if (outcome.kind === "interrupted") return queue.retry(event, outcome, new Date(now.getTime() + policy.baseMs));
  const trigger = await queue.failed(triggerId, now);
  // The trigger was deleted during the attempt.
  if (trigger === undefined) return queue.settle(event, "given_up", outcome);
  const failed = { attempts: event.attempts, firstAttemptAt: event.firstAttemptAt ?? now, isTest };
  const { httpStatus, reason } = outcome;
  const decision = decideFailure({ ...failed, httpStatus }, trigger.lastDeliveredAt, now, policy);
  if (decision.kind === "give_up" && decision.disables !== undefined) {
    // Disabling comes before settling: if it fails, the event stays leased, and the attempt is repeated later.
    const details = { trigger: triggerId, cause: decision.disables };
    const change = { action: "trigger.disabled" as const, actor: registryActor, details };
    const disabled = { at: now, cause: decision.disables, reason };
    if (await disableUnlessDeleted(deps, event, disabled, change))
      deps.onDisabled({ triggerId, storeId: event.storeId });
  }
  if (decision.kind === "give_up") return queue.settle(event, "given_up", outcome);
  await queue.pause(triggerId, new Date(now.getTime() + pauseMs(trigger.failures, policy)));
  await queue.retry(event, outcome, decision.at);
}

/** @returns whether the trigger was enabled before; false if it was deleted */
async function disableUnlessDeleted(
  { triggers }: RecordAttemptsDeps,
  { storeId, triggerId }: QueuedEvent,
  disabled: Disabled,
  change: StoreChange,
): Promise<boolean> {
  try {
    return await triggers.disable(storeId, triggerId, disabled, change);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") return false;
    throw error;
  }
}
