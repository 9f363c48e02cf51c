import { steadyClock } from "#shared/time/clock.ts";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import type { EditionsUsed } from "../certificates/editions-used.ts";
import { issueCertificates, issueChange } from "../certificates/issue-certificates.ts";
import type { Ledger } from "../certificates/ledger.ts";
import type { LoadShedder } from "../load/load-shedder.ts";
import { type ImportClaim, importLeaseMs } from "./imports.ts";
import type { IssueBatch } from "./run-import.ts";

interface IssueBatchesDeps {
  readonly queue: CommitQueue;
  readonly ledger: Pick<Ledger, "preview">;
  /** Bounds the dry runs, which bypass the commit queue. */
  readonly dryRuns: Pick<LoadShedder, "run">;
}

// A batch that waits longer than this is dropped and retried. Half of the life of the import's lease, which is renewed
// before each attempt, so that a batch ends before another replica can run the import.
const timeLimitMs = importLeaseMs / 2;

/**
 * Returns a factory that creates the {@link IssueBatch} for one run of an import. Batches are issued like any other
 * request: they wait in the same queue, within the same bounds. A repeated batch has the same idempotency key. During
 * an examination, batches are only previewed, each as if those before it had been issued.
 */
export function issueBatches({ queue, ledger, dryRuns }: IssueBatchesDeps): (claim: ImportClaim) => IssueBatch {
  return ({ id, storeId, actor, state }) => {
    let editionsUsed: EditionsUsed = new Map();
    return async (items, batch, signal) => {
      const limits = { deadline: steadyClock.now() + timeLimitMs, signal };
      const request = { idempotencyKey: `${id}-${batch}`, isImport: true, actor };
      if (state === "issuing") return issueCertificates(queue.within(limits), storeId, items, request);
      const preview = () => ledger.preview(storeId, issueChange(items, request), editionsUsed);
      const previewed = await dryRuns.run({ store: storeId, ...limits }, preview);
      editionsUsed = previewed.editionsUsed;
      return previewed.result;
    };
  };
}
