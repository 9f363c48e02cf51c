import { badRequest } from "#shared/errors/service-error.ts";
import { importItemKey } from "./import-item.ts";

/** The state of an import between two batches. */
export interface ImportProgress {
  /**
   * Identifies the import in its store. If it is the empty string, a certificate is issued for an item without an order
   * each time the item is sent.
   */
  readonly idempotencyKey: string;
  /** Position of the next batch's first item, counted from 0, unless that batch states a different position. */
  readonly nextPosition: bigint;
}

/** A batch of an import. */
export interface ImportBatch {
  /** In a later batch, the empty string means the key of the first batch. */
  readonly idempotencyKey: string;
  /** Position of the first item; undefined to continue after the previous batch, or to start at 0. */
  readonly position: bigint | undefined;
  readonly itemCount: number;
}

const positionMax = 2n ** 53n;

/**
 * Determines the position of a batch in its import.
 *
 * @param before undefined for the first batch
 * @returns the progress after the batch, and the `importKey` of each item; the keys are undefined if the import has no
 *   idempotency key
 * @throws ServiceError `bad_request` naming `idempotency_key` or `position`
 */
export function placeBatch(before: ImportProgress | undefined, batch: ImportBatch) {
  const idempotencyKey = before?.idempotencyKey ?? batch.idempotencyKey;
  if (batch.idempotencyKey !== "" && batch.idempotencyKey !== idempotencyKey)
    throw badRequest("idempotency_key", "differs from the key in the first message");
  if (batch.position !== undefined && idempotencyKey === "")
    throw badRequest("position", "requires an idempotency_key in the first message");
  const position = batch.position ?? before?.nextPosition ?? 0n;
  if (position > positionMax) throw badRequest("position", `must be at most ${positionMax}`);
  const keys = Array.from({ length: batch.itemCount }, (_, index) =>
    idempotencyKey === "" ? undefined : importItemKey(idempotencyKey, position + BigInt(index)),
  );
  const progress: ImportProgress = { idempotencyKey, nextPosition: position + BigInt(batch.itemCount) };
  return { progress, keys };
}
