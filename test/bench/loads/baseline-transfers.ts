/** The same transfers with the database driver only, one transaction each. */
import { openBaseline, runOnce, runWithTransaction } from "../baseline/open-baseline.ts";
import { runTransfer } from "../baseline/transfer.ts";
import { serveLoad } from "../load/serve-load.ts";
import { baselineTransfers } from "./setups.ts";
import { transferWorkers } from "./transfer-workers.ts";

serveLoad(baselineTransfers, async ({ uri, targets, conflicts }) => {
  const database = await openBaseline(uri, targets.length);
  const run = conflicts ? runWithTransaction : runOnce;
  return transferWorkers(targets, (target, ownerEmail) =>
    run(database, (session) => runTransfer(database, target, ownerEmail, session)),
  );
});
