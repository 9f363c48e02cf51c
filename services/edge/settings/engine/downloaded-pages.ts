import { errorCodes } from "#shared/errors/error-codes.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { steadyClock } from "#shared/time/clock.ts";

const policy = {
  isFinal: (error: unknown) => !errorCodes[toServiceError(error).code].retryable,
  attemptsMax: 5,
  pauseMs: { first: 1_000, max: 8_000 },
  clock: steadyClock,
};

/**
 * Reads the first page of a download, and returns all pages. While a page is being sent, the next one is read, but no
 * other: a client that reads slowly has at most one page in the edge's memory besides those being sent.
 *
 * A later page that fails for a moment is read again: a file that has begun cannot report a failure, and the browser
 * would keep a part of it, or nothing.
 *
 * @param read reads the page at a position, or the first
 * @param nextOf returns the position of the next page; undefined after the last one
 * @param clientSignal ends the reading when it aborts
 * @throws the error of the first page at once, so that the merchant sees an error page
 */
export async function downloadedPages<Page, Position>(
  read: (position?: Position) => Promise<Page>,
  nextOf: (page: Page) => Position | undefined,
  clientSignal: AbortSignal,
): Promise<AsyncGenerator<Page>> {
  const readFurther = (page: Page) => {
    const next = nextOf(page);
    if (next === undefined) return undefined;
    clientSignal.throwIfAborted();
    const reading = retryUntil(() => read(next), { ...policy, signal: clientSignal });
    // A failure is thrown when the page's turn comes, which it does not if the client leaves.
    reading.catch(() => undefined);
    return reading;
  };
  async function* pagesFrom(first: Page): AsyncGenerator<Page> {
    for (let page: Page | undefined = first; page !== undefined; ) {
      const following = readFurther(page);
      yield page;
      page = await following;
    }
  }
  return pagesFrom(await read());
}
