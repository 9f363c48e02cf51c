import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { TriggerLease } from "#gen/registry/v1/trigger_delivery_service_pb.js";
import { LeasedAttempts } from "#shared/lifecycle/leased-attempts.ts";
import { reason } from "#shared/reasons/reason.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import type { Clock } from "#shared/time/clock.ts";
import { waitAtMost } from "#shared/time/wait-at-most.ts";
import { publishDeliveryStep } from "../delivery-steps.ts";
import type { Latch } from "../latch.ts";
import type { TriggerDeliveries } from "../registry-client/trigger-deliveries.ts";
import { startStopwatch } from "../stopwatch.ts";
import { DeliveryFailure } from "../webhook/delivery-failure.ts";
import { type SendToTriggerDeps, sendToTrigger } from "./send-to-trigger.ts";

interface TriggerSenderDeps extends SendToTriggerDeps {
  readonly registry: TriggerDeliveries;
  /** Open while the registry is available. */
  readonly registryAvailable: Latch;
  /** Maximum number of concurrent attempts. */
  readonly concurrencyMax: number;
  /** Pause between two searches for due events, in milliseconds; ends early when an attempt ends. */
  readonly pollIntervalMs: number;
  /** A monotonic clock. */
  readonly steadyClock: Clock;
}

// If the result is not recorded, the lease expires and the attempt is repeated, so a few retries suffice.
const recordPolicy = { attemptsMax: 4, pauseMs: { first: 250, max: 5_000 } };

/** A leased event. */
interface Claimed {
  readonly lease: TriggerLease;
  /** Returns whether sending may still begin. */
  readonly mayBegin: () => boolean;
}

/**
 * Sends events to workflow triggers: leases due events from the registry, makes one attempt for each, and reports the
 * results. The attempts have their own slots, so that they and the webhook messages do not wait for each other.
 */
export class TriggerSender {
  readonly #deps: TriggerSenderDeps;
  readonly #attempts: LeasedAttempts<Claimed>;
  readonly #interrupt = new AbortController();

  constructor(deps: TriggerSenderDeps) {
    this.#deps = deps;
    const { concurrencyMax, pollIntervalMs, clock, logger } = deps;
    this.#attempts = new LeasedAttempts({
      claim: (countMax, stopping) => this.#claim(countMax, stopping),
      attempt: (claimed) => this.#attempt(claimed),
      onFailure: (error) => logger.warn({ err: error }, "cannot lease events for workflow triggers; retrying"),
      failurePauseMs: { first: 1_000, max: 30_000 },
      concurrencyMax,
      pollMs: pollIntervalMs,
      clock,
    });
  }

  start(): void {
    this.#attempts.start();
  }

  /** Stops claiming, and waits for the attempts in progress; interrupts them after the grace period. */
  async stop(graceMs: number): Promise<void> {
    const ended = this.#attempts.stop();
    await waitAtMost(ended, graceMs, this.#deps.clock);
    this.#interrupt.abort(new DeliveryFailure(OutcomeKind.INTERRUPTED, reason("attempt_interrupted")));
    await ended;
  }

  async #claim(countMax: number, stopping: AbortSignal): Promise<Claimed[]> {
    const { registry, registryAvailable, clock, steadyClock } = this.#deps;
    await registryAvailable.whenOpen(stopping);
    if (stopping.aborted) return [];
    publishDeliveryStep("before_trigger_claim");
    const ageMs = startStopwatch({ wall: clock, steady: steadyClock });
    const leases = await registry.claim(Math.min(countMax, 100));
    if (leases.length > 0) publishDeliveryStep("after_trigger_claim");
    return leases.map((lease) => ({ lease, mayBegin: () => ageMs() < lease.sendWithinMs }));
  }

  async #attempt({ lease, mayBegin }: Claimed): Promise<void> {
    const { registry, clock, logger } = this.#deps;
    const { deliveryId, leaseToken } = lease;
    try {
      const attempt = await sendToTrigger(this.#deps, lease, mayBegin, this.#interrupt.signal);
      publishDeliveryStep("before_trigger_outcome");
      const report = { deliveryId, leaseToken, outcome: attempt };
      await retryUntil(() => registry.record(report), { ...recordPolicy, clock, signal: this.#interrupt.signal });
    } catch (error) {
      logger.warn(
        { err: error, deliveryId },
        "cannot send an event to a workflow trigger or record the result; the attempt will be repeated",
      );
    }
  }
}
