import type { Certificate } from "../certificate.ts";

/** The position up to which the list has been read into a copy. Store it unchanged. */
export interface SyncPosition {
  /** Number of the round, starting at 1. Each round begins with a full read of the list. */
  readonly round: number;
  /** Identifies the feed that the copy was read from. Null before the first page, or if responses have no epoch. */
  readonly epoch: string | null;
  /** Newest `updatedAt` that was read from the list in this round. Null before the first certificate. */
  readonly watermark: string | null;
  /** Whether the full read of this round has ended and the certificates of earlier rounds have been deleted. */
  readonly isComplete: boolean;
}

/** Keeps a copy of a store's certificates. Implement this interface to use {@link sync} with another database. */
export interface CertificateStore {
  /** Returns the last saved position; undefined if none was saved. */
  loadPosition(): Promise<SyncPosition | undefined>;
  /**
   * Atomically saves certificates by id, together with the position. Without a position, as for a webhook message, the
   * stored position remains unchanged, and the certificates belong to its round (0 if none is stored).
   *
   * A stored certificate is replaced if {@link replaces} returns true. With a position, the certificates are from the
   * list.
   *
   * @throws Error if the position belongs to an earlier round than the stored one; see {@link requireLatestRound}
   */
  save(certificates: readonly Certificate[], position?: SyncPosition): Promise<void>;
  /** Deletes the certificates that belong to rounds before `round`. @returns their number */
  removeBefore(round: number): Promise<number>;
}

/**
 * Refuses a page of an earlier round: another call of `sync` has begun to read the whole list meanwhile. Without this
 * check, the stored round would go back, and no later change would replace the certificates of the newer round.
 *
 * @throws Error
 */
export function requireLatestRound(next: SyncPosition | undefined, stored: SyncPosition | undefined): void {
  if (next !== undefined && stored !== undefined && next.round < stored.round) throw overtaken();
}

/** The error of {@link requireLatestRound}. */
export function overtaken(): Error {
  return new Error("another call of sync has begun to read the whole list; run one call at a time");
}

/** The properties that decide whether a certificate replaces the stored one; see {@link replaces}. */
export interface StoredVersion {
  readonly round: number;
  readonly updatedAt: string;
}

/**
 * Returns whether a certificate replaces the stored certificate with the same id: it does if it belongs to a later
 * round, or to the same round and is newer. One of the list also does if it is equally old: a change of the store's
 * settings changes `verifyUrl` and `edition.formatted`, but not `updatedAt`, and a message that was rendered before it
 * can arrive later. All times have the same format, so string order is chronological order.
 *
 * @param next `isFromList`: whether it is of the list, not of a message. Default true
 */
export function replaces(
  { round, updatedAt, isFromList = true }: StoredVersion & { readonly isFromList?: boolean },
  stored: StoredVersion,
): boolean {
  if (round !== stored.round) return round > stored.round;
  return updatedAt > stored.updatedAt || (isFromList && updatedAt === stored.updatedAt);
}
