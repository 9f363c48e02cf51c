import type { Target } from "../bare/bare-transfer.ts";
import { findOut, type Part } from "./part.ts";
import { bareSide, type LoadSide, serviceSide } from "./sides.ts";
import { copyToBare, createStores, issueTargets } from "./stores.ts";

const callersOfOneStore = 16;

/**
 * Single changes, each a call of its own that transfers one certificate, against the same transaction in a plain loop:
 * over many stores with one caller each; in one store with several callers, which the registry commits in groups and of
 * which a plain loop can have only one; and in one store with one caller.
 */
export const measureChanges: Part = async (stack, options, signal) => {
  const spread: Target[] = [];
  for (const storeId of await createStores(stack, options.stores))
    spread.push(...(await issueTargets(stack, storeId, 1)));
  const [storeId = ""] = await createStores(stack, 1);
  const shared = await issueTargets(stack, storeId, callersOfOneStore);
  const single = shared.slice(0, 1);
  await copyToBare(
    stack,
    [...spread, ...single].map((target) => target.storeId),
  );
  const { registryAddress, bareUri: uri } = stack;
  const ours = (targets: Target[]) =>
    serviceSide(stack, "registry-transfers.ts", { registryAddress, targets });
  const bare = (targets: Target[]) =>
    bareSide(stack, "transaction", "bare-transfers.ts", { uri, targets, conflicts: false });
  const contending = (targets: Target[]) =>
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
