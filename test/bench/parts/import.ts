import { compareSides, type Finding, type Part } from "./part.ts";
import { baselineSide, serviceSide } from "./sides.ts";
import { copyToBaseline, createStores } from "./stores.ts";

// The batch size of certctl.
const batchItems = 100;
const manyStores = 8;

/**
 * Compares streamed imports of orders with the same transaction in a plain loop, and with `insertMany` of the same
 * documents without a transaction, in batches of equal size. The clock of one store permits 1,000 certificates a
 * second; the plain loops have no such limit. In all three cases, the events remain in the outbox.
 */
export const measureImport: Part = async (stack, options, signal) => {
  const { baselineUri: uri } = stack;
  const baseline = (name: string, setup: object) =>
    baselineSide(stack, name, "baseline-imports.ts", { uri, batchItems, ...setup });
  const find = async (title: string, storeCount: number): Promise<Finding> => {
    const ours = await createStores(stack, storeCount);
    const transacted = await createStores(stack, storeCount);
    const inserted = await createStores(stack, storeCount);
    await copyToBaseline(stack, [...transacted, ...inserted]);
    const sides = [
      serviceSide(
        stack,
        "registry-imports.ts",
        { registry: stack.registryTarget, storeIds: ours, batchItems },
        "leave",
      ),
      baseline("transaction", { storeIds: transacted, mode: "transaction" }),
      baseline("insert_many", { storeIds: inserted, mode: "inserts" }),
    ];
    return compareSides(title, sides, options, signal);
  };
  return {
    one_store: await find(
      `import into one store, batches of ${batchItems}; a store is limited to 1,000 certificates/s`,
      1,
    ),
    several_stores: await find(`import into ${manyStores} stores concurrently, batches of ${batchItems}`, manyStores),
  };
};
