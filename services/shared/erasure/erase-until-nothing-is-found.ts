/** The result of one step of an erasure or of a search. */
export interface ErasureStep {
  /** Number of documents or messages that were changed or deleted or, in a search, would be. */
  readonly count: number;
  /** Number of messages, imports and other work in flight that may still add or send the person's data. */
  readonly waitingCount: number;
  /** Where the next step begins; empty after the last step. */
  readonly nextPosition: string;
}

/** Where an erasure is: in a pass that erases, or in the search that follows it. */
export interface ErasureProgress {
  readonly isSearch: boolean;
  /** Where the next step begins; empty at the start of a pass. */
  readonly position: string;
  /** What the steps of this pass have found so far. */
  readonly foundCount: number;
  /** What was in flight in the steps of this pass and, in a search, of the pass before it. */
  readonly waitingCount: number;
}

/** The progress of an erasure that has not begun. */
export const erasureStart: ErasureProgress = { isSearch: false, position: "", foundCount: 0, waitingCount: 0 };

interface EraseOptions {
  /** Performs one step, which is idempotent. */
  readonly step: (progress: ErasureProgress) => Promise<ErasureStep>;
  /** Called after a search that found something, before the next pass. @returns false to end the erasure unfinished */
  readonly beforeRepeating: (search: ErasureProgress) => Promise<boolean>;
  /** Returns whether to end after a step. Default: never. */
  readonly shouldEnd?: () => boolean;
  /** Default: {@link erasureStart}. */
  readonly from?: ErasureProgress;
}

/**
 * Erases until a search finds nothing and nothing is in flight, nor was in the pass before it: live traffic can add
 * data behind the step that would have erased them.
 *
 * @returns undefined once the person is erased; otherwise where to continue
 */
export async function eraseUntilNothingIsFound({
  step,
  beforeRepeating,
  shouldEnd = () => false,
  from = erasureStart,
}: EraseOptions): Promise<ErasureProgress | undefined> {
  let progress = from;
  for (;;) {
    const { count, waitingCount, nextPosition } = await step(progress);
    progress = {
      isSearch: progress.isSearch,
      position: nextPosition,
      foundCount: progress.foundCount + count,
      waitingCount: progress.waitingCount + waitingCount,
    };
    if (nextPosition === "") {
      const isFound = progress.foundCount + progress.waitingCount > 0;
      if (progress.isSearch && !isFound) return undefined;
      if (progress.isSearch && !(await beforeRepeating(progress))) return erasureStart;
      // What was in flight during the pass may have added data behind its step, also where no search looks.
      const waitingCount = progress.isSearch ? 0 : progress.waitingCount;
      progress = { ...erasureStart, isSearch: !progress.isSearch, waitingCount };
    }
    if (shouldEnd()) return progress;
  }
}
