import { partitionCount } from "#shared/nats/event-stream.ts";

/** All partitions. Listed in a filter, they let the server merge the ranges of an index in the order of `at`. */
export const allPartitions: readonly number[] = Array.from({ length: partitionCount }, (_, partition) => partition);

/** Returns a filter for the new entries of partitions. Null also matches the missing field of a new entry. */
export function newIn(partitions: readonly number[]) {
  return { partition: { $in: [...partitions] }, taken: null };
}
