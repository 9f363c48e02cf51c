/** The same transfers with the database driver only, one transaction each. */
import { z } from "zod";
import { openBaseline, runOnce, runWithTransaction } from "../baseline/open-baseline.ts";
import { runTransfer } from "../baseline/transfer.ts";
import { serveLoad } from "../load/serve-load.ts";
import { transferWorkers, workerTargets } from "./transfer-workers.ts";

const setup = z.object({
  uri: z.string(),
  targets: workerTargets,
  /** Whether workers share a store: the driver's `withTransaction` then retries conflicts; otherwise a conflict is an error. */
  conflicts: z.boolean(),
});

serveLoad(setup, async ({ uri, targets, conflicts }) => {
  const database = await openBaseline(uri, targets.length);
  const run = conflicts ? runWithTransaction : runOnce;
  return transferWorkers(targets, (target, ownerEmail) =>
    run(database, (session) => runTransfer(database, target, ownerEmail, session)),
  );
});
