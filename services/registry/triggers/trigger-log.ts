import type { LogPlace } from "../values/page-token.ts";
import type { LoggedTriggerDelivery, TriggerLogQuery, TriggerQueue } from "./trigger-queue.ts";

/** Reads a page of the log. The next page starts after `next`, which is undefined on the last page. */
export async function readTriggerLogPage(
  queue: Pick<TriggerQueue, "readLog">,
  query: TriggerLogQuery,
  countMax: number,
): Promise<{ readonly deliveries: LoggedTriggerDelivery[]; readonly next: LogPlace | undefined }> {
  // One extra entry shows whether there is a next page.
  const found = await queue.readLog(query, countMax + 1);
  const deliveries = found.slice(0, countMax);
  const last = found.length > countMax ? deliveries.at(-1) : undefined;
  return { deliveries, next: last && { at: last.occurredAt, id: `${last.triggerId}/${last.eventId}` } };
}
