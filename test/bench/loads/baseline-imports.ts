/** Imports like those of registry-imports.ts, but made with the database driver alone, by one worker per store. */
import { z } from "zod";
import { newId } from "../../../services/registry/values/identifiers.ts";
import { insertWithoutTransaction, runImport } from "../baseline/import.ts";
import { openBaseline, runOnce } from "../baseline/open-baseline.ts";
import { serveLoad } from "../load/serve-load.ts";

const setup = z.object({
  uri: z.string(),
  storeIds: z.array(z.string()),
  batchItems: z.number(),
  /** The registry's transaction, or `insertMany` without a transaction. */
  mode: z.enum(["transaction", "inserts"]),
});

serveLoad(setup, async ({ uri, storeIds, batchItems, mode }) => {
  const database = await openBaseline(uri, storeIds.length);
  // The first document with an array makes an index multikey; on a stand-in, concurrent transactions then conflict.
  await insertWithoutTransaction(database, newId("sto"), 1, 1);
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
