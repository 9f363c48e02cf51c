/** The same imports with nothing but the driver. */
import { bareImport, bareInserts } from "../bare/bare-import.ts";
import { openBare, runPlain } from "../bare/open-bare.ts";
import { serveLoad } from "../load/serve-load.ts";
import { bareImports } from "./setups.ts";

serveLoad(bareImports, async ({ uri, storeIds, batchItems, way }) => {
  const database = await openBare(uri, storeIds.length);
  return storeIds.map((storeId) => {
    let nextSerial = 1;
    return async () => {
      if (way === "transaction") {
        await runPlain(database, (session) => bareImport(database, storeId, batchItems, session));
      } else {
        await bareInserts(database, storeId, batchItems, nextSerial);
        nextSerial += batchItems;
      }
      return batchItems;
    };
  });
});
