const pageMax = 100;

interface Page<Item, Position> {
  readonly items: readonly Item[];
  /** Where the next page begins; undefined or empty after the last page. */
  readonly next: Position | undefined;
}

/**
 * Reads a list page by page, and calls `onItem` for each item.
 *
 * @param countMax maximum number of items
 * @param read reads a page of at most `limit` items. The position is undefined for the first page
 * @returns whether there are more items
 */
export async function readPages<Item, Position>(
  countMax: number,
  read: (limit: number, position: Position | undefined) => Promise<Page<Item, Position>>,
  onItem: (item: Item) => void,
): Promise<boolean> {
  let position: Position | undefined;
  for (let left = countMax; left > 0; ) {
    const { items, next } = await read(Math.min(left, pageMax), position);
    for (const item of items) onItem(item);
    if (next === undefined || next === "") return false;
    left -= items.length;
    position = next;
  }
  return true;
}
