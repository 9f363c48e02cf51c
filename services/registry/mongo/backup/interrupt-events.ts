import { MongoBulkWriteError } from "mongodb";
import { lostClaimOutcome, unsentOutcome } from "../../deliveries/claim-state.ts";
import type { Collections } from "../collections.ts";
import { isDuplicateKey } from "../transient-error.ts";

const batchSize = 1_000;

/**
 * Settles all events in the outbox of a restored database; those without an outcome are recorded as interrupted. The
 * relay cannot publish all of them: for some minutes, JetStream drops new copies of messages that were acknowledged
 * shortly before the data loss. Can be called again after an interruption.
 *
 * @returns the number of events
 */
export async function interruptEvents(
  { outbox, deliveries }: Pick<Collections, "outbox" | "deliveries">,
  at: Date,
): Promise<number> {
  let count = 0;
  for (;;) {
    const entries = await outbox
      .find({}, { projection: { event: 0 } })
      .limit(batchSize)
      .toArray();
    if (entries.length === 0) return count;
    const settled = entries.map(({ _id, store, certificate, type }) => {
      const { eventId: _event, ...outcome } = unsentOutcome(_id, lostClaimOutcome);
      return { _id, store, certificate, type, claimedBy: "restore", claimedAt: at, outcome: { ...outcome, at } };
    });
    const [first] = settled;
    const _id = { $in: settled.map((one) => one._id) };
    await deliveries.insertMany(settled, { ordered: false }).catch(ignoreClaimed);
    await deliveries.updateMany({ _id, outcome: null }, { $set: { outcome: first?.outcome ?? null } });
    await outbox.deleteMany({ _id });
    count += entries.length;
  }
}

/** Ignores the errors for events that have a claim already. */
function ignoreClaimed(error: unknown): void {
  if (!(error instanceof MongoBulkWriteError && isDuplicateKey(error))) throw error;
}
