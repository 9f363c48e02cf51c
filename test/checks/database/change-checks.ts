import { systemClock } from "#shared/time/clock.ts";
import { type LeasedTask, taskLeaseMs } from "../../../services/registry/leases/leased-queue.ts";
import { leasedTask } from "../../../services/registry/mongo/leases/leased-task.ts";
import { leaseSlackMs } from "../../../services/registry/mongo/leases/mongo-leases.ts";
import { type DatabaseCheck, passedUnless } from "./database-check.ts";
import type { DatabaseRig } from "./rig.ts";
import { issueSamples } from "./sample-certificate.ts";

const remedy = "Report this output with the server's version: the registry cannot reliably write to this server.";
const batch = 40;

/** Checks of the lease, and both ways to write a change: one command or one command per collection. */
export const changeChecks: readonly DatabaseCheck[] = [
  {
    name: "only one replica holds a lease until it expires, even after the server's time was set back",
    remedy,
    run: async (rig) => passedUnless(await compareLease(rig), "5 attempts"),
  },
  ...[true, false].map((writesInOneCommand) => ({
    name: `changes write every document, ${writesInOneCommand ? "with one bulkWrite for all collections (MongoDB 8.0 or later)" : "one command per collection"}`,
    remedy,
    run: async (rig: DatabaseRig) =>
      passedUnless(await compareWrites(rig, writesInOneCommand), `1 and ${batch} certificates`),
  })),
];

async function compareLease({ collections }: DatabaseRig): Promise<string[]> {
  let nowMs = systemClock.now();
  const time = () => new Date(nowMs);
  const open = () => leasedTask(collections.leases, "check", time);
  const [first, second] = [open(), open()];
  const differences: string[] = [];
  const attempt = async (task: LeasedTask, when: string, expected: boolean) => {
    const isClaimed = (await task.claim()) !== undefined;
    if (isClaimed !== expected) differences.push(`${when}: ${isClaimed} instead of ${expected}`);
  };
  await attempt(first, "the first acquires a free lease", true);
  await attempt(second, "the second acquires a held lease", false);
  nowMs += taskLeaseMs + 1;
  await attempt(second, "the second acquires an expired lease", true);
  nowMs -= 86_400_000;
  await attempt(first, "the first acquires a held lease after the time was set back", false);
  nowMs += taskLeaseMs + leaseSlackMs + 1;
  await attempt(first, "the first acquires the lease once the lease has expired on the clock that was set back", true);
  return differences;
}

async function compareWrites(rig: DatabaseRig, writesInOneCommand: boolean): Promise<string[]> {
  const { certificates, history, outbox } = rig.collections;
  const storeId = await rig.createStore();
  for (const count of [1, batch]) await issueSamples(rig, storeId, count, writesInOneCommand);
  const found = await certificates.find({ store: storeId }).sort({ updatedAt: 1 }).toArray();
  const serials = found.map(({ serial }) => serial).join();
  const expected = Array.from({ length: batch + 1 }, (_, index) => index + 1).join();
  const counts = {
    history: await history.countDocuments({ store: storeId }),
    outbox: await outbox.countDocuments({ store: storeId }),
  };
  const wrong = Object.entries(counts).filter(([, count]) => count !== batch + 1);
  return [
    ...(serials === expected ? [] : [`the serial numbers in the order of updatedAt are ${serials}`]),
    ...wrong.map(([name, count]) => `${count} documents in ${name}`),
  ];
}
