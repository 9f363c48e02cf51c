/**
 * Returns a filter for the new entries of partitions. Partitions that are listed let the server merge the ranges of an
 * index in the order of `at`. Null also matches the missing field of a new entry.
 */
export function newIn(partitions: readonly number[]) {
  return { partition: { $in: [...partitions] }, taken: null };
}
