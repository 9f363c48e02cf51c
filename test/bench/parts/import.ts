import { type Finding, findOut, type Part } from "./part.ts";
import { bareSide, serviceSide } from "./sides.ts";
import { copyToBare, createStores } from "./stores.ts";

// As certctl sends them.
const batchItems = 100;
const manyStores = 8;

/**
 * Imports of orders, streamed, against the same transaction in a plain loop and against `insertMany` of the same
 * documents without one; all in batches of the same size. One store can have 1,000 a second, which is what its clock
 * allows; the plain loops have no such limit. The events stay in the outbox on both sides.
 */
export const measureImport: Part = async (stack, options, signal) => {
  const { registryAddress, bareUri: uri } = stack;
  const find = async (title: string, storeCount: number): Promise<Finding> => {
    const [ours, transacted, inserted] = [
      await createStores(stack, storeCount),
      await createStores(stack, storeCount),
      await createStores(stack, storeCount),
    ];
    await copyToBare(stack, [...transacted, ...inserted]);
    const sides = [
      serviceSide(stack, "registry-imports.ts", { registryAddress, storeIds: ours, batchItems }, "leave"),
      bareSide(stack, "transaction", "bare-imports.ts", {
        ...{ uri, storeIds: transacted, batchItems, way: "transaction" },
      }),
      bareSide(stack, "insert_many", "bare-imports.ts", {
        ...{ uri, storeIds: inserted, batchItems, way: "inserts" },
      }),
    ];
    return findOut(title, sides, options, signal);
  };
  return {
    one_store: await find(`import into one store, batches of ${batchItems}; its clock allows 1,000/s`, 1),
    several_stores: await find(
      `import into ${manyStores} stores side by side, batches of ${batchItems}`,
      manyStores,
    ),
  };
};
