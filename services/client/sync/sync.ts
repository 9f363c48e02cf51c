import { ApiError } from "../errors.ts";
import type { CertificatePage, RegistryClient } from "../registry-client.ts";
import type { CertificateStore, SyncPosition } from "./certificate-store.ts";

/** Options of {@link sync}. */
export interface SyncOptions {
  /**
   * Whether to read the whole list in any case, for example after the store changed its verification address, language
   * or edition style. By default, `sync` does so only for a new copy or a feed that was restored from a backup.
   */
  readonly full?: boolean;
  /** Aborts the call; the next call continues after the last saved page. */
  readonly signal?: AbortSignal;
}

/** The result of a call to {@link sync}. */
export interface SyncResult {
  /** Number of certificates read from the list. */
  readonly read: number;
  /** Number of certificates deleted from the copy because they no longer exist. */
  readonly removed: number;
  /** Whether this call has detected that the feed was restored from a backup, or that the key is another store's. */
  readonly wasRestored: boolean;
}

/**
 * Reads all changes since the last call and saves them page by page. After a crash or an error, the next call continues
 * after the last saved page. If the feed was restored from a backup, the call reads the whole list again and then
 * deletes the certificates that no longer exist; the copy stays readable meanwhile.
 *
 * Call it before the first webhook message, after downtime, and about once an hour. Do not run two calls for one store
 * at the same time: a call throws once another one has begun to read the whole list.
 *
 * @throws RegistryError when the list cannot be read, the signal's reason when it aborts, and any error of the store
 */
export async function sync(
  client: Pick<RegistryClient, "getPage">,
  store: CertificateStore,
  { full = false, signal }: SyncOptions = {},
): Promise<SyncResult> {
  const stored = await store.loadPosition();
  let position = stored === undefined || full ? nextRound(stored) : stored;
  if (position !== stored) await store.save([], position);
  let read = 0;
  let wasRestored = false;
  for (let cursor: string | null = null; ; ) {
    const page = await readPage(client, position, cursor, signal);
    if (page === "invalid cursor") {
      cursor = null;
      continue;
    }
    if (position.epoch !== null && page.epoch !== position.epoch) {
      // The page was requested at a position in the lost feed, so it is discarded.
      position = { ...nextRound(position), epoch: page.epoch };
      await store.save([], position);
      wasRestored = true;
      cursor = null;
      continue;
    }
    const watermark = page.certificates.at(-1)?.updatedAt ?? position.watermark;
    position = { ...position, epoch: page.epoch, watermark };
    await store.save(page.certificates, position);
    read += page.certificates.length;
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  if (position.isComplete) return { read, removed: 0, wasRestored };
  const removed = await store.removeBefore(position.round);
  await store.save([], { ...position, isComplete: true });
  return { read, removed, wasRestored };
}

function nextRound(position: SyncPosition | undefined): SyncPosition {
  const { round = 0, epoch = null } = position ?? {};
  return { round: round + 1, epoch, watermark: null, isComplete: false };
}

/** Reads the page at the cursor or, without a cursor, the first page after the watermark. */
async function readPage(
  client: Pick<RegistryClient, "getPage">,
  { watermark }: SyncPosition,
  cursor: string | null,
  signal: AbortSignal | undefined,
): Promise<CertificatePage | "invalid cursor"> {
  const options = signal === undefined ? {} : { signal };
  if (cursor === null) return client.getPage(watermark === null ? {} : { updatedSince: watermark }, options);
  try {
    return await client.getPage({ cursor }, options);
  } catch (error) {
    // Cursors become invalid when the feed is restored or their encryption key is withdrawn. Reading continues from the
    // watermark.
    if (error instanceof ApiError && error.code === "bad_request") return "invalid cursor";
    throw error;
  }
}
