import { type Trigger, TriggerDisabledCause } from "#gen/registry/v1/trigger_service_pb.js";

/**
 * The worst state of several triggers. `disabled`: the service disabled a trigger, because its receiver kept failing or
 * replied 410.
 */
export type TriggerHealth = "works" | "failing" | "disabled";

/** Returns the worst state of the triggers. A trigger that a person disabled counts as working. */
export function triggerHealth(
  triggers: readonly Pick<Trigger, "enabled" | "disabledCause" | "failingSince">[],
): TriggerHealth {
  const isDisabled = triggers.some(
    ({ enabled, disabledCause }) => !enabled && disabledCause !== TriggerDisabledCause.REQUESTED,
  );
  if (isDisabled) return "disabled";
  return triggers.some(({ enabled, failingSince }) => enabled && failingSince !== undefined) ? "failing" : "works";
}
