import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { type ApiKey, Plan } from "#gen/registry/v1/store_admin_service_pb.js";

/** Whether a store can use the API, and whether it has done so. */
export type ApiHealth = "noPlan" | "noKey" | "unused" | "inUse";

/** The state of a store's webhook. `idle`: none of the latest deliveries has finished, apart from skipped ones. */
export type WebhookHealth = "missing" | "idle" | "works" | "fails";

/** Derives a store's API health from its plan and keys. */
export function apiHealth(plan: Plan, keys: readonly ApiKey[]): ApiHealth {
  if (plan !== Plan.PRO) return "noPlan";
  if (keys.length === 0) return "noKey";
  return keys.some(({ lastUsedAt }) => lastUsedAt !== undefined) ? "inUse" : "unused";
}

/** Derives the webhook's state from its last finished delivery. Skipped messages say nothing about the receiver. */
export function webhookHealth(isSet: boolean, deliveries: readonly Delivery[]): WebhookHealth {
  if (!isSet) return "missing";
  const last = lastFinished(deliveries);
  if (last === undefined) return "idle";
  return last.outcome?.kind === OutcomeKind.DELIVERED ? "works" : "fails";
}

/** Returns the newest delivery that has an outcome other than `SKIPPED`. @param deliveries newest first */
export function lastFinished(deliveries: readonly Delivery[]): Delivery | undefined {
  return deliveries.find(({ outcome }) => outcome !== undefined && outcome.kind !== OutcomeKind.SKIPPED);
}
