import { taskLeaseMs } from "../../leases/leased-queue.ts";
import type { NumberedClaim, SharedTasks } from "../../leases/shared-tasks.ts";
import type { Collections } from "../documents/collections.ts";
import { databaseCall } from "../driver/database-error.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import { storeTasks } from "./leased-task.ts";
import { MongoLeases } from "./mongo-leases.ts";

/**
 * Returns tasks that the replicas divide among themselves: documents of the collection `leases` that are always due,
 * `<name>/0` and so on, and as many seats, `<name>/seat/0` and so on.
 */
export function sharedTasks(
  leases: Collections["leases"],
  name: string,
  count: number,
  databaseTime?: DatabaseTime,
): SharedTasks {
  const queue = new MongoLeases(leases, taskLeaseMs, databaseTime);
  const idsOf = (prefix: string) => Array.from({ length: count }, (_, number) => `${prefix}/${number}`);
  const [tasks, seats] = [idsOf(name), idsOf(`${name}/seat`)];
  let isStored = false;
  const claimSeat = async (): Promise<NumberedClaim | undefined> => {
    if (!isStored) await databaseCall(() => storeTasks(leases, [...tasks, ...seats]));
    isStored = true;
    const claim = await queue.claim({ _id: { $in: seats } });
    return claim && { id: claim.id, token: claim.token, number: seats.indexOf(claim.id) };
  };
  const claimTask = async (number: number): Promise<NumberedClaim | undefined> => {
    const claim = await queue.claim({ _id: tasks[number] });
    return claim && { id: claim.id, token: claim.token, number };
  };
  return {
    lifeMs: taskLeaseMs,
    count,
    claimSeat,
    claimTask,
    renew: (claims) => queue.renewAll(claims),
    release: (claims) => queue.releaseAll(claims),
    leased: async () => {
      const leased = new Set(await queue.leasedAmong({ _id: { $in: [...tasks, ...seats] } }));
      const numbersOf = (ids: readonly string[]) => ids.flatMap((id, number) => (leased.has(id) ? [number] : []));
      return { seats: numbersOf(seats), tasks: numbersOf(tasks) };
    },
  };
}
