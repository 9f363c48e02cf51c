import type { Filter, MongoClient } from "mongodb";
import { interruptedOutcome, type UnsentOutcome, unsentOutcome } from "../../deliveries/claim-state.ts";
import type { Collections } from "../documents/collections.ts";
import { compoundKey } from "../documents/compound-key.ts";
import { storedOutcome } from "../documents/outcome-documents.ts";
import { isHead, settledFields, type TriggerDeliveryDocument } from "../documents/trigger-documents.ts";
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

const stored = (outcome: UnsentOutcome) => storedOutcome(unsentOutcome("", outcome), new Date());

function givenUpIfAttempted({ state, lastAttempt }: ReturnType<typeof settledFields>) {
  const isAttempted = { $gt: ["$attempts", 0] };
  // An attempt without a result may have sent the message.
  const last = { $ifNull: ["$lastAttempt", { $literal: stored(interruptedOutcome) }] };
  return {
    state: { $cond: [isAttempted, "given_up", state] },
    lastAttempt: { $cond: [isAttempted, last, lastAttempt] },
  };
}

/**
 * Settles the {@link skippable} ones of the events without sending them, and makes their certificates' next events the
 * heads.
 *
 * @param outcome why; with `keepsAttempts`, attempted events are given up instead, and keep their last attempt
 * @returns the number of settled events
 */
export function skipEvents(
  { client, triggerDeliveries: entries, databaseTime, ...options }: SkipEventsDeps,
  ids: readonly string[],
  outcome: UnsentOutcome,
  { keepsAttempts = false }: { readonly keepsAttempts?: boolean } = {},
): Promise<number> {
  const free = skippable(ids, databaseTime);
  return runTransaction(
    client,
    async (session) => {
      const read = { session, projection: { trigger: 1, certificate: 1 } };
      const found = await entries.find(free, read).toArray();
      const skipped = settledFields("skipped", stored(outcome));
      const settled = endOf(keepsAttempts ? { ...skipped, ...givenUpIfAttempted(skipped) } : skipped);
      // Conflicts with a claim that has leased one of them since.
      await entries.updateMany({ _id: { $in: found.map(({ _id }) => _id) } }, settled, { session });
      // Not only of settled heads: a log that was shortened deletes heads before they are skipped.
      const queueOf = ({ trigger, certificate }: (typeof found)[number]) => compoundKey(trigger, certificate);
      const queues = new Map(found.map((one) => [queueOf(one), one]));
      const ofQueues = {
        trigger: { $in: found.map(({ trigger }) => trigger) },
        certificate: { $in: found.map(({ certificate }) => certificate) },
      };
      for (const head of await entries.find({ ...ofQueues, ...isHead }, read).toArray()) queues.delete(queueOf(head));
      await promoteNext(entries, Array.from(queues.values()), databaseTime, session);
      return { commit: true, value: found.length };
    },
    options,
  );
}
