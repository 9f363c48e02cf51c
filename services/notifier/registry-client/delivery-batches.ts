import { Batcher, type RunBatch } from "#shared/batching/batcher.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { ClaimAnswer, ClaimRequest, OutcomeReport, RegistryDeliveries } from "./registry-deliveries.ts";
import type { RegistryWatch } from "./registry-watch.ts";

// A call costs about half as much as a delivery, so under load several events share a call. A claim that waits for its
// batch delays a message, so a burst of claims is sent without waiting; an outcome that waits delays only the next
// event of its certificate or store. From 250 events a second on, the intervals grow: the machine is then busy, and
// the intervals add little to the time that a message waits for other reasons.
const claimBatches = { intervalMs: 8, intervalPerItemMs: 4, intervalMaxMs: 48, burst: 8, concurrencyMax: 4 };
const outcomeBatches = { intervalMs: 20, intervalPerItemMs: 4, intervalMaxMs: 60, burst: 1, concurrencyMax: 2 };

/**
 * Claims single events and records single outcomes; concurrent calls share one request. Reports failed requests to
 * `watch`. `claim` rejects if the decision is unknown; the event must then not be sent. `record` is idempotent, and
 * rejects if it is unknown whether the outcome is stored.
 *
 * @param clock a monotonic clock
 */
export function deliveryBatches(
  registry: RegistryDeliveries,
  watch: Pick<RegistryWatch, "reportFailure">,
  clock: Clock,
) {
  const reporting = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      watch.reportFailure(error);
      throw error;
    });
  const batcher = <I, O>(run: RunBatch<I, O>, { concurrencyMax, ...pace }: typeof claimBatches) =>
    new Batcher<I, O>((items) => reporting(run(items)), { concurrencyMax, pace: { ...pace, clock } });
  const claims = batcher((items: readonly ClaimRequest[]) => registry.claim(items), claimBatches);
  const outcomes = batcher((items: readonly OutcomeReport[]) => registry.record(items), outcomeBatches);
  return {
    claim: (request: ClaimRequest): Promise<ClaimAnswer> => claims.add(request),
    record: (report: OutcomeReport): Promise<void> => outcomes.add(report),
  };
}
