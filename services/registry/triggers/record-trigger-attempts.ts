import { unlessNotFound } from "#shared/errors/service-error.ts";
import { isTestId } from "#shared/events/event-fields.ts";
import type { DeliveryOutcome } from "../deliveries/delivery.ts";
import type { WorkClaim } from "../leases/leased-queue.ts";
import { decideFailure, pauseMs, type RetryPolicy, recoveryFailures } from "./retry-policy.ts";
import type { Disabled, Triggers } from "./trigger.ts";
import type {
  EventResult,
  LeasedEvent,
  QueuedEvent,
  TriggerHealth,
  TriggerQueue,
  TriggerResults,
} from "./trigger-queue.ts";

/** The result of an attempt under a lease. */
export interface AttemptResult extends WorkClaim {
  readonly outcome: DeliveryOutcome;
}

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
 * nothing. A report that failed after the events' results were recorded can be repeated, which ends their leases.
 */
export async function recordTriggerAttempts(
  deps: RecordAttemptsDeps,
  results: readonly AttemptResult[],
): Promise<void> {
  const { events, triggers, now } = await deps.queue.leased(results);
  const ours = Array.from(events, ([{ outcome }, event]) => ({ event, outcome }));
  const decided = Array.from(
    Map.groupBy(ours, ({ event }) => event.triggerId),
    ([triggerId, attempts]) => decide(attempts, { triggerId, health: triggers.get(triggerId), now }, deps.policy),
  );
  // Disabling comes before settling: if it fails, the events stay leased, and the attempts are repeated later.
  for (const { disabled, events } of decided)
    if (disabled !== undefined && events[0] !== undefined) await disable(deps, events[0].event, disabled);
  const ended = results.filter((result) => !events.has(result));
  await deps.queue.record(decided, ended, now);
}

interface Decision extends TriggerResults {
  /** Defined if the results disable the trigger. */
  readonly disabled: Disabled | undefined;
}

/** The trigger of some attempts; `health` is undefined if it was deleted during the attempts. */
interface TriedTrigger {
  readonly triggerId: string;
  readonly health: TriggerHealth | undefined;
  readonly now: Date;
}

/**
 * Decides, from a trigger's results in the order in which they are reported, what follows for it and for its events.
 */
function decide(
  attempts: readonly { readonly event: LeasedEvent; readonly outcome: DeliveryOutcome }[],
  { triggerId, health, now }: TriedTrigger,
  policy: RetryPolicy,
): Decision {
  let failuresBefore = health?.failures ?? 0;
  // Attempts that are reported together ended at about the same time, in any order.
  const isWorking = attempts.some(({ outcome }) => outcome.kind === "delivered");
  const lastDeliveredAt = isWorking ? now : (health?.lastDeliveredAt ?? null);
  let [failures, isDelivered, hasRecovered] = [0, false, false];
  let disabled: Disabled | undefined;

  function nextOf(event: QueuedEvent, outcome: DeliveryOutcome): EventResult["next"] {
    const isTest = isTestId(event.eventId);
    if (outcome.kind === "skipped") return "skipped";
    if (outcome.kind === "delivered") {
      // The backlog of a recovered receiver need not wait until its backoff delays have passed.
      hasRecovered ||= failuresBefore + failures >= recoveryFailures;
      [failuresBefore, failures, isDelivered] = [0, 0, true];
      return "delivered";
    }
    if (isTest || health === undefined) return "given_up";
    // The sender was stopped or paused, which says nothing about the receiver.
    if (outcome.kind === "interrupted") return new Date(now.getTime() + policy.baseMs);
    failures++;
    const failed = { attempts: event.attempts, firstAttemptAt: event.firstAttemptAt ?? now, isTest };
    const { httpStatus, reason } = outcome;
    const decision = decideFailure({ ...failed, httpStatus }, lastDeliveredAt, now, policy);
    if (decision.kind === "retry") return decision.at;
    if (decision.disables !== undefined) disabled ??= { at: now, cause: decision.disables, reason };
    return "given_up";
  }

  const events = attempts.map(({ event, outcome }) => ({ event, outcome, next: nextOf(event, outcome) }));
  const pause = failures === 0 ? 0 : pauseMs(failuresBefore + failures, policy);
  const saysSomething = isDelivered || failures > 0;
  return {
    triggerId,
    events,
    disabled,
    health: saysSomething ? { isDelivered, failures, hasRecovered, pauseMs: pause } : undefined,
  };
}

/** Disables a trigger unless it is disabled or was deleted. */
async function disable(
  { triggers, onDisabled }: RecordAttemptsDeps,
  { storeId, triggerId }: QueuedEvent,
  disabled: Disabled,
): Promise<void> {
  const details = { trigger: triggerId, cause: disabled.cause };
  const change = { action: "trigger.disabled" as const, actor: registryActor, details };
  const isDisabled = await unlessNotFound(triggers.disable(storeId, triggerId, disabled, change));
  if (isDisabled) onDisabled({ triggerId, storeId });
}
