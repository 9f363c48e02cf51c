import type { OutboxEntry, Publish } from "./outbox.ts";

/** What became of a batch. */
export interface PublishedBatch {
  /** Entries that the stream has stored. */
  readonly publishedIds: readonly string[];
  /** The first failure, or undefined. */
  readonly error: unknown;
}

/**
 * Publishes entries: certificates side by side, but an event of a certificate only after the one before it is
 * acknowledged. After a failure the certificate's later events stay in the outbox.
 *
 * @param entries in the order of their store's clock
 */
export async function publishBatch(
  entries: readonly OutboxEntry[],
  publish: Publish,
): Promise<PublishedBatch> {
  const publishedIds: string[] = [];
  let error: unknown;
  const publishInOrder = async (chain: readonly OutboxEntry[]) => {
    try {
      for (const entry of chain) {
        await publish(entry);
        publishedIds.push(entry.eventId);
      }
    } catch (cause) {
      error ??= cause;
    }
  };
  const chains = Map.groupBy(entries, ({ certificateId }) => certificateId);
  await Promise.all(Array.from(chains.values(), publishInOrder));
  return { publishedIds, error };
}
