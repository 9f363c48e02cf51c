/** The same transfers with nothing but the driver, each a transaction in a plain loop. */
import { bareTransfer } from "../bare/bare-transfer.ts";
import { openBare, runPlain, runWithTransaction } from "../bare/open-bare.ts";
import { serveLoad } from "../load/serve-load.ts";
import { bareTransfers } from "./setups.ts";
import { transferWorkers } from "./transfer-workers.ts";

serveLoad(bareTransfers, async ({ uri, targets, conflicts }) => {
  const database = await openBare(uri, targets.length);
  const run = conflicts ? runWithTransaction : runPlain;
  return transferWorkers(targets, (target, ownerEmail) =>
    run(database, (session) => bareTransfer(database, target, ownerEmail, session)),
  );
});
