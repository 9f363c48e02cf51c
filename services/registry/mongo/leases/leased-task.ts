import { type LeasedTask, taskLeaseMs } from "../../leases/leased-queue.ts";
import type { Collections } from "../documents/collections.ts";
import { bulkDuplicates } from "../driver/bulk-duplicates.ts";
import { databaseCall } from "../driver/database-error.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import { limited } from "../driver/time-limits.ts";
import { MongoLeases } from "./mongo-leases.ts";

/** Returns a task that one replica at a time does: a document of the collection `leases` that is always due. */
export function leasedTask(leases: Collections["leases"], name: string, databaseTime?: DatabaseTime): LeasedTask {
  const queue = new MongoLeases(leases, taskLeaseMs, databaseTime);
  let isStored = false;
  return {
    lifeMs: taskLeaseMs,
    claim: async () => {
      if (!isStored) await databaseCall(() => storeTasks(leases, [name]));
      isStored = true;
      return queue.claim({ _id: name });
    },
    renew: (claim) => queue.renew(claim),
    release: (claim) => queue.release(claim),
  };
}

/** Stores the documents of tasks that are always due, unless they are stored already. */
export async function storeTasks(leases: Collections["leases"], ids: readonly string[]): Promise<void> {
  const documents = ids.map((_id) => ({ _id, dueAt: new Date(0) }));
  await bulkDuplicates(leases.insertMany(documents, { ordered: false, ...limited }));
}
