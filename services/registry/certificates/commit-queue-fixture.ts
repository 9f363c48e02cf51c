import { setImmediate as turn } from "node:timers/promises";
import { CommitQueue, type CommitQueueOptions } from "./commit-queue.ts";
import type { Change, CommitOptions, Ledger } from "./ledger.ts";

interface Group {
  readonly storeId: string;
  readonly names: readonly unknown[];
  readonly options: CommitOptions | undefined;
  succeed(): Promise<void>;
  fail(error: Error): Promise<void>;
}

/** Creates a ledger whose transactions succeed or fail at the test's command; the result of a change is its name. */
function manualLedger() {
  const groups: Group[] = [];
  const ledger: Ledger = {
    commit: <Result>(storeId: string, changes: readonly Change<Result>[], options?: CommitOptions) => {
      const { promise, resolve, reject } = Promise.withResolvers<Result[]>();
      const names = changes.map((change) => change.decide(undefined as never) as Result);
      groups.push({
        storeId,
        names,
        options,
        succeed: async () => {
          resolve(names);
          await turn();
        },
        fail: async (error) => {
          reject(error);
          await turn();
        },
      });
      return promise;
    },
    preview: () => Promise.reject(new Error("not used")),
  };
  return { groups, ledger };
}

/** Creates a change whose result is its name. */
export function changeNamed(name: string, maxTimestamps = 1): Change<string> {
  return { needs: { issueKeys: [], skus: [] }, maxTimestamps, maxSerials: maxTimestamps, decide: () => name };
}

/** Creates a queue over a ledger whose transactions succeed or fail at the test's command. */
export function queueWith(options?: CommitQueueOptions) {
  const { groups, ledger } = manualLedger();
  const queue = new CommitQueue(ledger, options);
  const submit = (name: string, maxTimestamps?: number, storeId = "sto_1") =>
    queue.submit(storeId, changeNamed(name, maxTimestamps));
  /** Returns the names of the changes in each transaction so far. */
  const committed = () => groups.map(({ names }) => names.join(" "));
  return { queue, groups, submit, committed };
}
