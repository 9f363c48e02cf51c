import { cpuOf, spreadOf } from "../compare.ts";
import type { WorkerTarget } from "../loads/transfer-workers.ts";
import { compareSides, type Part } from "./part.ts";
import { baselineSide, type LoadSide, serviceSide } from "./sides.ts";
import { copyToBaseline, createStores, issueIn } from "./stores.ts";

const callersOfOneStore = 16;
// Events of one certificate are delivered sequentially, so each worker changes several certificates: the backlog of a
// turn then drains quickly.
const certificatesOfWorker = 20;

/**
 * Compares single transfers over gRPC with the same transaction in a plain loop: in many stores with one caller each,
 * in one store with several callers, and in one store with one caller. The registry commits the changes of several
 * callers in groups; in plain loops, they conflict. A plain loop makes one driver call per document; the registry sends
 * all writes of a transaction in one `bulkWrite` where the server supports it.
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
  await copyToBaseline(stack, [...spread.map((target) => target.storeId), storeId]);
  const { baselineUri: uri } = stack;
  const ours = (targets: WorkerTarget[]) =>
    serviceSide(stack, "registry-transfers.ts", { registry: stack.registryTarget, targets }, "deliver");
  const baseline = (targets: WorkerTarget[]) =>
    baselineSide(stack, "transaction", "baseline-transfers.ts", { uri, targets, conflicts: false });
  const contending = (targets: WorkerTarget[]) =>
    baselineSide(stack, "with_transaction", "baseline-transfers.ts", { uri, targets, conflicts: true });
  const find = (title: string, sides: Promise<LoadSide>[]) =>
    compareSides(title, sides, options, signal, ({ service }) => ({
      cpu_micros_registry: spreadOf(cpuOf(service, "registry")),
    }));
  return {
    over_stores: await find(
      `changes over ${options.stores} stores, one caller each; compared with as many plain loops`,
      [ours(spread), baseline(spread)],
    ),
    one_store: await find(
      `changes of one store, ${callersOfOneStore} callers; compared with 1 plain loop and ${callersOfOneStore} conflicting ones`,
      [ours(shared), baseline(single), contending(shared)],
    ),
    one_caller: await find("changes of one store, one caller; compared with one plain loop", [
      ours(single),
      baseline(single),
    ]),
  };
};
