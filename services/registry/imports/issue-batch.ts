import { steadyClock } from "#shared/time/clock.ts";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import { issueCertificates, issueChange } from "../certificates/issue-certificates.ts";
import type { Ledger } from "../certificates/ledger.ts";
import type { LoadShedder } from "../load/load-shedder.ts";
import type { IssueBatch } from "./run-import.ts";

interface IssueBatchDeps {
  readonly queue: CommitQueue;
  readonly ledger: Pick<Ledger, "preview">;
  /** Bounds the dry runs, which bypass the commit queue. */
  readonly dryRuns: Pick<LoadShedder, "run">;
}

// A batch that waits longer is dropped and retried. Shorter than the life of the import's claim, which is prolonged
// before each retry.
const timeLimitMs = 20_000;

/**
 * Returns the call that issues a batch of an import like any other request: the batch waits in the same queue, within
 * the same bounds. During an examination, the call only previews the batch. A repeated batch has the same idempotency
 * key.
 */
export function issueBatch({ queue, ledger, dryRuns }: IssueBatchDeps): IssueBatch {
  return async ({ id, storeId, actor, state }, items, batch, signal) => {
    const limits = { deadline: steadyClock.now() + timeLimitMs, signal };
    const request = { idempotencyKey: `${id}-${batch}`, isImport: true, actor };
    if (state === "issuing") return issueCertificates(queue.within(limits), storeId, items, request);
    return dryRuns.run({ store: storeId, ...limits }, () => ledger.preview(storeId, issueChange(items, request)));
  };
}
