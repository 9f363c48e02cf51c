import { Batcher } from "./batcher.ts";
import type { ClaimAnswer, ClaimRequest, OutcomeReport, RegistryDeliveries } from "./registry-deliveries.ts";
import type { RegistryWatch } from "./registry-watch.ts";

/** The registry for one event at a time; what is asked at the same time goes in one call. */
export interface DeliveryBatches {
  /** @throws Error when the answer is not known; the event may not be sent then */
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  /** @throws Error when it is not known whether the outcome is stored; recording again does no harm */
  record(report: OutcomeReport): Promise<void>;
}

/** Collects claims and outcomes into batches, and tells the watch when one fails. */
export function deliveryBatches(
  registry: RegistryDeliveries,
  watch: Pick<RegistryWatch, "reportFailure">,
): DeliveryBatches {
  const reporting = <T>(call: Promise<T>) =>
    call.catch((error: unknown) => {
      watch.reportFailure(error);
      throw error;
    });
  const claims = new Batcher((requests: readonly ClaimRequest[]) => reporting(registry.claim(requests)));
  const outcomes = new Batcher((reports: readonly OutcomeReport[]) => reporting(registry.record(reports)));
  return { claim: (request) => claims.add(request), record: (report) => outcomes.add(report) };
}
