import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { TriggerLease } from "#gen/registry/v1/trigger_delivery_service_pb.js";
import { Loop } from "#shared/lifecycle/loop.ts";
import { reason } from "#shared/reasons/reason.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import type { Clock } from "#shared/time/clock.ts";
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
const recordPolicy = {
  isFinal: (_error: unknown, failures: number) => failures >= 4,
  pauseMs: { first: 250, max: 5_000 },
};

/**
 * Sends events to workflow triggers: leases due events from the registry, makes one attempt for each, and reports the
 * results. Stores no state: if this process dies, the leases expire and another notifier sends the events. The attempts
 * have their own slots, so that they and the webhook messages do not wait for each other.
 */
export class TriggerSender {
  readonly #deps: TriggerSenderDeps;
  readonly #loop: Loop;
  readonly #interrupt = new AbortController();
  readonly #attempts = new Set<Promise<void>>();

  constructor(deps: TriggerSenderDeps) {
    this.#deps = deps;
    const { clock, logger } = deps;
    this.#loop = new Loop({
      clock,
      step: (stopping) => this.#step(stopping),
      onFailure: (error) => logger.warn({ err: error }, "cannot lease events for workflow triggers; retrying"),
      failurePauseMs: { first: 1_000, max: 30_000 },
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Stops claiming, and waits for the attempts in progress; interrupts them after the grace period. */
  async stop(graceMs: number): Promise<void> {
    await this.#loop.stop();
    const ended = Promise.allSettled(this.#attempts);
    const graceOver = new AbortController();
    const interrupted = new DeliveryFailure(OutcomeKind.INTERRUPTED, reason("attempt_interrupted"));
    const interrupt = async () => {
      await this.#deps.clock.sleep(graceMs, graceOver.signal);
      if (!graceOver.signal.aborted) this.#interrupt.abort(interrupted);
    };
    const interrupting = interrupt();
    await ended;
    graceOver.abort();
    await interrupting;
  }

  async #step(stopping: AbortSignal): Promise<number> {
    const { registryAvailable, pollIntervalMs } = this.#deps;
    await registryAvailable.whenOpen(stopping);
    const mayHaveMore = !stopping.aborted && (await this.#claim());
    // The end of an attempt wakes the search: the certificate's next event may be due.
    return mayHaveMore ? 0 : pollIntervalMs;
  }

  /** @returns whether to claim again at once, because events were due and slots are still free */
  async #claim(): Promise<boolean> {
    const { registry, concurrencyMax, clock, steadyClock } = this.#deps;
    const free = concurrencyMax - this.#attempts.size;
    if (free <= 0) return false;
    publishDeliveryStep("before_trigger_claim");
    const ageMs = startStopwatch({ wall: clock, steady: steadyClock });
    const leases = await registry.claim(Math.min(free, 100));
    if (leases.length > 0) publishDeliveryStep("after_trigger_claim");
    for (const lease of leases) {
      const attempt = this.#attempt(lease, () => ageMs() < lease.sendWithinMs).finally(() => {
        this.#attempts.delete(attempt);
        this.#loop.wake();
      });
      this.#attempts.add(attempt);
    }
    return leases.length > 0 && leases.length < free;
  }

  async #attempt(lease: TriggerLease, mayBegin: () => boolean): Promise<void> {
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
