import { lostClaimOutcome, unsentOutcome } from "../../deliveries/claim-state.ts";
import { requestedByOf } from "../../outbox/requested-by.ts";
import { reopenResent } from "../deliveries/reopen-resent.ts";
import type { Collections } from "../documents/collections.ts";
import { bulkDuplicates } from "../driver/bulk-duplicates.ts";
import { updateEach } from "../driver/write-each.ts";

const batchSize = 1_000;

/**
 * Settles all events in the outbox of a restored database; those without an outcome are recorded as interrupted. The
 * relay cannot publish all of them: for some minutes, JetStream drops new copies of messages that a notifier
 * acknowledged shortly before the data loss. A call that failed can be repeated.
 *
 * @returns the number of events
 */
export async function interruptEvents(
  { outbox, deliveries }: Pick<Collections, "outbox" | "deliveries">,
  at: Date,
): Promise<number> {
  let count = 0;
  for (;;) {
    const entries = await outbox.find({}).limit(batchSize).toArray();
    if (entries.length === 0) return count;
    const settled = entries.map(({ _id, store, certificate, type, event }) => {
      const { eventId: _event, ...outcome } = unsentOutcome(_id, lostClaimOutcome);
      const requestedBy = requestedByOf(event.value());
      const claim = { _id, store, certificate, type, claimedBy: "restore", claimedAt: at };
      return { ...claim, ...(requestedBy === "" ? {} : { requestedBy }), outcome: { ...outcome, at } };
    });
    const [first] = settled;
    const ids = settled.map(({ _id }) => _id);
    // The inserts of events that already have a claim fail as duplicates.
    await bulkDuplicates(deliveries.insertMany(settled, { ordered: false }));
    await updateEach(deliveries, ids, { outcome: null }, { $set: { outcome: first?.outcome ?? null } }, {});
    await reopenResent(deliveries, ids);
    await outbox.deleteMany({ _id: { $in: ids } });
    count += entries.length;
  }
}
