import { insertVariants } from "../../harness/bulk-certificates.ts";
import type { BenchStack } from "../bench-stack.ts";
import { createListedStores, type ListedStore } from "./list-requests.ts";

/** Creates a store with this number of certificates, all but the first inserted directly into the database. */
export async function createLargeStore(stack: BenchStack, count: number, signal: AbortSignal): Promise<ListedStore> {
  const [store] = await createListedStores(stack, 1, 1);
  if (store === undefined) throw new Error("no store was created");
  const onProgress = (inserted: number) => stack.log(`  ${inserted} of ${count} certificates inserted`);
  await insertVariants(stack.collections, store.storeId, { count, signal, onProgress });
  return store;
}
