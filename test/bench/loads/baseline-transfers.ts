/** Transfers like those of registry-transfers.ts, but made with the database driver alone, one per transaction. */
import { z } from "zod";
import { openBaseline, runOnce, runWithTransaction } from "../baseline/open-baseline.ts";
import { runTransfer } from "../baseline/transfer.ts";
import { serveLoad } from "../load/serve-load.ts";
import { transferWorkers, workerTargets } from "./transfer-workers.ts";

const setup = z.object({
  uri: z.string(),
  targets: workerTargets,
  /** True if workers share a store: `withTransaction` then retries conflicts. If false, a conflict is an error. */
  conflicts: z.boolean(),
});

serveLoad(setup, async ({ uri, targets, conflicts }) => {
  const database = await openBaseline(uri, targets.length);
  const run = conflicts ? runWithTransaction : runOnce;
  return transferWorkers(targets, (target, ownerEmail) =>
    run(database, (session) => runTransfer(database, target, ownerEmail, session)),
  );
});
