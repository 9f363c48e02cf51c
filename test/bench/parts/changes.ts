import type { WorkerTarget } from "../loads/transfer-workers.ts";
import { findOut, type Part } from "./part.ts";
import { bareSide, type LoadSide, serviceSide } from "./sides.ts";
import { copyToBare, createStores, issueIn } from "./stores.ts";

const callersOfOneStore = 16;
// Of a certificate one event is delivered after the other: with many, what a turn leaves behind is soon gone.
const certificatesOfWorker = 20;

/**
 * Single changes, each a call of its own that transfers one certificate, against the same transaction in a plain loop:
 * over many stores with one caller each; in one store with several callers, which the registry commits in groups and of
 * which a plain loop can have only one; and in one store with one caller. The plain loop uses the driver's everyday calls,
 * the registry sends its writes in one `bulkWrite`.
 */
export const measureChanges: Part = async (stack, options, signal) => {
  const spread: WorkerTarget[] = [];
  for (const storeId of await createStores(stack, options.stores))
    spread.push({ storeId, certificateIds: await issueIn(stack, storeId, certificatesOfWorker) });
  const [storeId = ""] = await createStores(stack, 1);
  const shared: WorkerTarget[] = [];
  while (shared.length < callersOfOneStore)
    shared.push({ storeId, certificateIds: await issueIn(stack, storeId, certificatesOfWorker) });
  const single = shared.slice(0, 1);
  await copyToBare(stack, [...spread.map((target) => target.storeId), storeId]);
  const { registryAddress, bareUri: uri } = stack;
  const ours = (targets: WorkerTarget[]) =>
    serviceSide(stack, "registry-transfers.ts", { registryAddress, targets }, "deliver");
  const bare = (targets: WorkerTarget[]) =>
    bareSide(stack, "transaction", "bare-transfers.ts", { uri, targets, conflicts: false });
  const contending = (targets: WorkerTarget[]) =>
    bareSide(stack, "with_transaction", "bare-transfers.ts", { uri, targets, conflicts: true });
  const find = (title: string, sides: Promise<LoadSide>[]) => findOut(title, sides, options, signal);
  return {
    over_stores: await find(`changes over ${options.stores} stores, one caller each; plain loops alike`, [
      ours(spread),
      bare(spread),
    ]),
    one_store: await find(
      `changes of one store, ${callersOfOneStore} callers; one plain loop, ${callersOfOneStore} that conflict`,
      [ours(shared), bare(single), contending(shared)],
    ),
    one_caller: await find("changes of one store, one caller; one plain loop", [ours(single), bare(single)]),
  };
};
