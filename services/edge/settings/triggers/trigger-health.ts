import { type Trigger, TriggerDisabledCause } from "#gen/registry/v1/trigger_service_pb.js";

/** The worst state of triggers that somebody should look at. `disabled`: by the service, because a receiver fails. */
export type TriggerHealth = "works" | "failing" | "disabled";

/** Judges triggers. One that a person has disabled needs no attention. */
export function triggerHealth(
  triggers: readonly Pick<Trigger, "enabled" | "disabledCause" | "failingSince">[],
): TriggerHealth {
  const isDisabled = triggers.some(
    ({ enabled, disabledCause }) => !enabled && disabledCause !== TriggerDisabledCause.REQUESTED,
  );
  if (isDisabled) return "disabled";
  return triggers.some(({ enabled, failingSince }) => enabled && failingSince !== undefined) ? "failing" : "works";
}
