import type { MessageInitShape } from "@bufbuild/protobuf";
import { type DeliveryOutcomeSchema, OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { valueName } from "#shared/enums/named-values.ts";
import type { Clock } from "#shared/time/clock.ts";

/**
 * Returns the options of the Batcher whose calls record the outcomes of attempts. An outcome that waits delays only the
 * next event of its certificate, store or trigger, and slots that become free together are filled by one claim.
 */
export function outcomeBatches(clock: Clock) {
  return { concurrencyMax: 2, pace: { intervalMs: 20, intervalPerItemMs: 4, intervalMaxMs: 60, burst: 1, clock } };
}

/** Adds the name of an outcome's kind, by which a registry of an earlier version stores a kind unknown to it. */
export function withKindName(outcome: MessageInitShape<typeof DeliveryOutcomeSchema>) {
  return { ...outcome, kindName: valueName(OutcomeKind, outcome.kind ?? 0) ?? "" };
}
