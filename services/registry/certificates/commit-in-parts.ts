import { type Change, type Ledger, PartialResult } from "./ledger.ts";

// After the first part, another replica is known to change the store. Waiting for more room would lose it again to that
// replica; not waiting at all would commit a transaction for every few certificates.
const enoughForLaterParts = 10;

/**
 * Commits changes of one store, in one transaction if the store's clock has room for all of them, otherwise in several.
 * A change that is committed in part continues after the other changes.
 *
 * @param onResult called once for each change as soon as all of it is durable
 * @param timeLeftMs returns the time left for the transaction that begins now; default: unlimited
 * @throws as {@link Ledger.commit}; parts committed before the error remain committed
 */
export async function commitInParts(
  ledger: Pick<Ledger, "commit">,
  storeId: string,
  changes: readonly Change<unknown>[],
  onResult: (index: number, result: unknown) => void,
  timeLeftMs: () => number = () => Number.POSITIVE_INFINITY,
): Promise<void> {
  let remaining = changes.map((change, index) => ({ change, index }));
  for (let enough = Number.POSITIVE_INFINITY; remaining.length > 0; enough = enoughForLaterParts) {
    const submitted = remaining.map(({ change }) => change);
    const results = await ledger.commit(storeId, submitted, { enoughTimestamps: enough, timeLimitMs: timeLeftMs() });
    const unfinished = remaining.slice(0, results.length).flatMap(({ change, index }, position) => {
      const result = results[position];
      if (result instanceof PartialResult) return [{ change: change.continueFrom?.(result.soFar) ?? change, index }];
      onResult(index, result);
      return [];
    });
    remaining = [...remaining.slice(results.length), ...unfinished];
  }
}
