import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { noteRetry, retryWhileUnavailable } from "./retry-while-unavailable.ts";

const pageMax = 100;
/** How long a page is tried again, as by the client library. */
const retryLimitMs = 120_000;

interface Page<Item, Position> {
  readonly items: readonly Item[];
  /** Where the next page begins; undefined or empty after the last page. */
  readonly next: Position | undefined;
}

/**
 * Reads a list page by page, and calls `onItem` for each item. An outage does not end a list that has begun: its later
 * pages are tried again.
 *
 * @param countMax maximum number of items
 * @param read reads a page of at most `limit` items. The position is undefined for the first page
 * @param note prints a line about a page that is tried again
 * @param clock a monotonic clock
 * @returns whether there are more items
 */
export async function readPages<Item, Position>(
  countMax: number,
  read: (limit: number, position: Position | undefined) => Promise<Page<Item, Position>>,
  onItem: (item: Item) => void,
  note: (text: string) => void,
  clock: Clock = steadyClock,
): Promise<boolean> {
  let position: Position | undefined;
  for (let left = countMax; left > 0; ) {
    const readPage = () => read(Math.min(left, pageMax), position);
    const { items, next } = await (position === undefined
      ? readPage()
      : retryWhileUnavailable(readPage, retryLimitMs, noteRetry(note), clock));
    for (const item of items) onItem(item);
    if (next === undefined || next === "") return false;
    left -= items.length;
    position = next;
  }
  return true;
}
