import { redeliveryPrefix } from "../../deliveries/delivery-log.ts";
import type { Collections } from "../documents/collections.ts";
import { limited } from "../driver/time-limits.ts";
import { updateMatching } from "../driver/write-each.ts";

/**
 * Lets events count as failed again of whose redeliveries some have ended without being delivered. To be called after
 * the outcome is stored and before the redelivery leaves the outbox: a call that is repeated after a crash changes
 * nothing more, and does not affect a later redelivery.
 *
 * @param ids the deliveries that are leaving the outbox, of any kind
 */
export async function reopenResent(deliveries: Collections["deliveries"], ids: readonly string[]): Promise<void> {
  const redeliveries = ids.filter((id) => id.startsWith(redeliveryPrefix));
  if (redeliveries.length === 0) return;
  const undelivered = { _id: { $in: redeliveries }, "outcome.kind": { $nin: [null, "delivered"] } };
  const found = await deliveries.find(undelivered, { ...limited, projection: { _id: 1 } }).toArray();
  if (found.length === 0) return;
  const resentAs = { $in: found.map(({ _id }) => _id) };
  await updateMatching(deliveries, { resentAs }, { $unset: { resent: "", resentAs: "" } }, limited);
}
