import type { Filter, MongoClient } from "mongodb";
import { steadyClock } from "#shared/time/clock.ts";
import { type UnsentOutcome, unsentOutcome } from "../../deliveries/claim-state.ts";
import type { Collections } from "../documents/collections.ts";
import { storedOutcome } from "../documents/outcome-documents.ts";
import { settledFields, type TriggerDeliveryDocument } from "../documents/trigger-documents.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import { narrowed } from "../driver/narrowed-filter.ts";
import { type RetryOptions, runTransaction } from "../driver/run-transaction.ts";
import { endOf, hasEnded } from "../leases/mongo-leases.ts";
import { promoteNext } from "./promote-next.ts";

interface SkipEventsDeps extends Pick<RetryOptions, "onSession" | "timeLimitMs"> {
  readonly client: MongoClient;
  readonly triggerDeliveries: Collections["triggerDeliveries"];
  /** Computes whether a lease has expired. */
  readonly databaseTime: DatabaseTime;
}

/** Selects those of the events that wait and that no attempt is sending. */
export function skippable(ids: readonly string[], databaseTime: DatabaseTime): Filter<TriggerDeliveryDocument> {
  const isFree = { state: "waiting" as const, $expr: hasEnded(databaseTime) };
  return narrowed<TriggerDeliveryDocument>({ _id: { $in: [...ids] } }, isFree);
}

/**
 * Settles the {@link skippable} ones of the events without sending them, and makes their certificates' next events the
 * heads.
 *
 * @returns the number of settled events
 */
export function skipEvents(
  { client, triggerDeliveries: entries, databaseTime, ...options }: SkipEventsDeps,
  ids: readonly string[],
  outcome: UnsentOutcome,
): Promise<number> {
  const free = skippable(ids, databaseTime);
  return runTransaction(
    client,
    steadyClock,
    async (session) => {
      const found = await entries
        .find(free, { session, projection: { trigger: 1, certificate: 1, dueAt: 1 } })
        .toArray();
      const settled = endOf(settledFields("skipped", storedOutcome(unsentOutcome("", outcome), new Date())));
      // Conflicts with a claim that has leased one of them since.
      await entries.updateMany({ _id: { $in: found.map(({ _id }) => _id) } }, settled, { session });
      const heads = found.filter(({ dueAt }) => dueAt !== undefined);
      await promoteNext(entries, heads, databaseTime, session);
      return { commit: true, value: found.length };
    },
    options,
  );
}
