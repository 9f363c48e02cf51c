/** The same imports with the database driver only. */
import { insertWithoutTransaction, runImport } from "../baseline/import.ts";
import { openBaseline, runOnce } from "../baseline/open-baseline.ts";
import { serveLoad } from "../load/serve-load.ts";
import { baselineImports } from "./setups.ts";

serveLoad(baselineImports, async ({ uri, storeIds, batchItems, mode }) => {
  const database = await openBaseline(uri, storeIds.length);
  return storeIds.map((storeId) => {
    let nextSerial = 1;
    return async () => {
      if (mode === "transaction") {
        await runOnce(database, (session) => runImport(database, storeId, batchItems, session));
      } else {
        await insertWithoutTransaction(database, storeId, batchItems, nextSerial);
        nextSerial += batchItems;
      }
      return batchItems;
    };
  });
});
