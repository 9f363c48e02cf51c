import { Batcher, type RunBatch } from "#shared/batching/batcher.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { ClaimAnswer, ClaimRequest, OutcomeReport, RegistryDeliveries } from "./registry-deliveries.ts";
import type { RegistryWatch } from "./registry-watch.ts";

/** Claims and records single events; concurrent calls share one request. */
export interface DeliveryBatches {
  /** @throws Error if the answer is unknown; then the event must not be sent */
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  /** Idempotent. @throws Error if it is unknown whether the outcome is stored */
  record(report: OutcomeReport): Promise<void>;
}

// A call costs about half as much as a delivery, so under load events share calls. Claims delay their messages, so the
// first ones are sent without waiting; outcomes delay only the next event of the same certificate or store.
const claimBatches = { intervalMs: 8, burst: 8, concurrencyMax: 4 };
const outcomeBatches = { intervalMs: 20, burst: 1, concurrencyMax: 2 };

/**
 * Batches claims and outcomes, and reports failed calls to the watch.
 *
 * @param clock a monotonic clock
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
