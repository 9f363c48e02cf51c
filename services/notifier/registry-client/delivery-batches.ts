import { Batcher, type RunBatch } from "#shared/batching/batcher.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { ClaimAnswer, ClaimRequest, OutcomeReport, RegistryDeliveries } from "./registry-deliveries.ts";
import type { RegistryWatch } from "./registry-watch.ts";

/** The registry for one event at a time; what is asked at the same time goes in one call. */
export interface DeliveryBatches {
  /** @throws Error when the answer is not known; the event may not be sent then */
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  /** @throws Error when it is not known whether the outcome is stored; recording again does no harm */
  record(report: OutcomeReport): Promise<void>;
}

// A call costs about half as much as a delivery, so where many come they share calls. Messages wait for claims, and where few
// come they need not; nobody waits for outcomes but what comes next of the same certificate or store.
const claimBatches = { intervalMs: 8, burst: 8, concurrencyMax: 4 };
const outcomeBatches = { intervalMs: 20, burst: 1, concurrencyMax: 2 };

/**
 * Collects claims and outcomes into batches, and tells the watch when one fails.
 *
 * @param clock for durations: it never goes back
 */
export function deliveryBatches(
  registry: RegistryDeliveries,
  watch: Pick<RegistryWatch, "reportFailure">,
  clock: Clock,
): DeliveryBatches {
  const reporting = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      watch.reportFailure(error);
      throw error;
    });
  const batcher = <I, O>(run: RunBatch<I, O>, { concurrencyMax, ...pace }: typeof claimBatches) =>
    new Batcher<I, O>((items) => reporting(run(items)), { concurrencyMax, pace: { ...pace, clock } });
  const claims = batcher((items: readonly ClaimRequest[]) => registry.claim(items), claimBatches);
  const outcomes = batcher((items: readonly OutcomeReport[]) => registry.record(items), outcomeBatches);
  return { claim: (request) => claims.add(request), record: (report) => outcomes.add(report) };
}
