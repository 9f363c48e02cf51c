/** The same transfers with nothing but the driver, each a transaction in a plain loop. */
import { bareTransfer } from "../bare/bare-transfer.ts";
import { openBare, runPlain, runWithTransaction } from "../bare/open-bare.ts";
import { serveLoad } from "../load/serve-load.ts";
import { bareTransfers } from "./setups.ts";

serveLoad(bareTransfers, async ({ uri, targets, conflicts }) => {
  const database = await openBare(uri, targets.length);
  const run = conflicts ? runWithTransaction : runPlain;
  let count = 0;
  return targets.map((target) => async () => {
    const ownerEmail = `owner${count++}@example.test`;
    await run(database, (session) => bareTransfer(database, target, ownerEmail, session));
    return 1;
  });
});
