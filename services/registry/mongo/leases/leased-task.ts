import { type LeasedTask, taskLeaseMs } from "../../leases/leased-queue.ts";
import type { Collections } from "../documents/collections.ts";
import { databaseCall } from "../driver/database-error.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";
import { isDuplicateKey } from "../driver/transient-error.ts";
import { MongoLeases } from "./mongo-leases.ts";

/** Returns a task that one replica at a time does: a document of the collection `leases` that is always due. */
export function leasedTask(leases: Collections["leases"], name: string, databaseTime?: DatabaseTime): LeasedTask {
  const queue = new MongoLeases(leases, taskLeaseMs, databaseTime);
  let isStored = false;
  return {
    lifeMs: taskLeaseMs,
    claim: async () => {
      if (!isStored) await databaseCall(() => storeTask(leases, name));
      isStored = true;
      return queue.claim({ _id: name });
    },
    renew: (claim) => queue.renew(claim),
    release: (claim) => queue.release(claim),
  };
}

async function storeTask(leases: Collections["leases"], name: string): Promise<void> {
  try {
    await leases.insertOne({ _id: name, dueAt: new Date(0) }, { maxTimeMS: operationTimeLimitMs });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}
