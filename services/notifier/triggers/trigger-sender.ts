import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { TriggerLease } from "#gen/registry/v1/trigger_delivery_service_pb.js";
import { backOffMs } from "#shared/retry/back-off.ts";
import type { Clock } from "#shared/time/clock.ts";
import { publishDeliveryStep } from "../delivery-steps.ts";
import type { Latch } from "../latch.ts";
import type { TriggerDeliveries } from "../registry-client/trigger-deliveries.ts";
import { startStopwatch } from "../stopwatch.ts";
import { DeliveryFailure } from "../webhook/delivery-failure.ts";
import { type SendToTriggerDeps, sendToTrigger } from "./send-to-trigger.ts";

/** Dependencies of a {@link TriggerSender}. */
export interface TriggerSenderDeps extends SendToTriggerDeps {
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
const recordAttemptsMax = 4;

/**
 * Sends events to workflow triggers: leases due events from the registry, makes one attempt for each, and reports the
 * results. Stores no state: if this process dies, the leases expire and another notifier sends the events. The attempts
 * have their own slots, so that they and the webhook messages do not wait for each other.
 */
export class TriggerSender {
  readonly #deps: TriggerSenderDeps;
  readonly #stopping = new AbortController();
  readonly #interrupt = new AbortController();
  readonly #attempts = new Set<Promise<void>>();
  #wake = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(deps: TriggerSenderDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Stops claiming, and waits for the attempts in progress; interrupts them after the grace period. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort("stopping");
    await this.#running;
    const ended = Promise.allSettled(this.#attempts);
    const graceOver = new AbortController();
    const interrupted = new DeliveryFailure(OutcomeKind.INTERRUPTED, "The sender was stopped.");
    const interrupt = async () => {
      await this.#deps.clock.sleep(graceMs, graceOver.signal);
      if (!graceOver.signal.aborted) this.#interrupt.abort(interrupted);
    };
    const interrupting = interrupt();
    await ended;
    graceOver.abort();
    await interrupting;
  }

  async #run(): Promise<void> {
    const { registryAvailable, clock, logger, pollIntervalMs } = this.#deps;
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      await registryAvailable.whenOpen(signal);
      if (signal.aborted) return;
      this.#wake = new AbortController();
      try {
        const mayHaveMore = await this.#claim();
        failures = 0;
        // The end of an attempt wakes the search: the certificate's next event may be due.
        if (!mayHaveMore) await clock.sleep(pollIntervalMs, this.#wake.signal);
      } catch (error) {
        logger.warn({ err: error }, "cannot lease events for workflow triggers; retrying");
        await clock.sleep(backOffMs(failures++, 1_000, 30_000), signal);
      }
    }
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
        this.#wake.abort("ended");
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
      for (let failures = 0; ; failures++) {
        try {
          return await registry.record(report);
        } catch (error) {
          if (failures + 1 >= recordAttemptsMax || this.#interrupt.signal.aborted) throw error;
          await clock.sleep(backOffMs(failures, 250, 5_000), this.#interrupt.signal);
        }
      }
    } catch (error) {
      logger.warn(
        { err: error, deliveryId },
        "cannot send an event to a workflow trigger or record the result; the attempt will be repeated",
      );
    }
  }
}
