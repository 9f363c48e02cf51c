import { RetryQueue } from "#shared/lifecycle/retry-queue.ts";
import { base64Of } from "#shared/text/base64.ts";
import type { Clock } from "#shared/time/clock.ts";
import { waitUntilAborted } from "#shared/time/wait-at-most.ts";
import type { AdmissionPlaces } from "./admission.ts";

/** An admission to remove from the rate-limit window. */
interface ReturnedAdmission {
  /** SHA-256 of the API key. */
  readonly keyHash: Uint8Array;
  readonly id: Uint8Array;
  /**
   * Whether the admission is known to be in the database. If not, an operation whose response was lost may still write
   * it, even after a first return: the return is repeated until one window has passed.
   */
  readonly isWritten: boolean;
  /** The key's store. If unknown, a place is returned only while the key is not revoked. */
  readonly storeId?: string | undefined;
}

interface PlaceReturnsOptions {
  readonly places: AdmissionPlaces;
  /** Monotonic clock. */
  readonly clock: Clock;
  /** Length of the rate-limit window; older places no longer count. */
  readonly windowMs: number;
  /** Called with the number of places that one operation returned. */
  readonly onReturned?: (count: number) => void;
  /**
   * Called with the number of written admissions whose return was abandoned. They count against the rate limit until
   * they leave the window.
   */
  readonly onLost?: (count: number) => void;
}

// Maximum number of keys whose places are returned concurrently.
const concurrencyMax = 8;

/**
 * Returns the places of failed requests in the background, so that these requests do not count against the rate limit.
 * Pending returns are in memory only: if this process is killed, the requests count against the rate limit until they
 * leave the window.
 */
export class PlaceReturns {
  readonly #options: PlaceReturnsOptions;
  readonly #queue: RetryQueue<ReturnedAdmission>;

  constructor(options: PlaceReturnsOptions) {
    this.#options = options;
    this.#queue = new RetryQueue<ReturnedAdmission>({
      attempt: (admissions, signal) => this.#attempt(admissions, signal),
      clock: options.clock,
      lifeMs: options.windowMs,
      onDropped: (dropped) => {
        const lost = dropped.filter(({ isWritten }) => isWritten).length;
        if (lost > 0) options.onLost?.(lost);
      },
    });
  }

  add(admission: ReturnedAdmission): void {
    this.#queue.add(admission);
  }

  /** Tries every pending return once more, within five seconds, and abandons those that do not succeed. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }

  /** @returns the admissions to retry */
  async #attempt(admissions: readonly ReturnedAdmission[], signal: AbortSignal): Promise<readonly ReturnedAdmission[]> {
    const again: ReturnedAdmission[] = [];
    const groups = Map.groupBy(admissions, ({ keyHash }) => base64Of(keyHash)).values();
    // The workers share the iterator.
    const work = async () => {
      for (const ofKey of groups) again.push(...(await this.#returnAll(ofKey, signal)));
    };
    await Promise.all(Array.from({ length: concurrencyMax }, work));
    return again;
  }

  async #returnAll(ofKey: readonly ReturnedAdmission[], signal: AbortSignal): Promise<readonly ReturnedAdmission[]> {
    const [first] = ofKey;
    if (first === undefined) return [];
    if (signal.aborted) return ofKey;
    // Both this registry and the edge may request the return of the same place.
    const ids = new Map(ofKey.map(({ id }) => [base64Of(id), id]));
    const storeId = ofKey.find((one) => one.storeId !== undefined)?.storeId;
    const returning = this.#options.places.returnPlaces(first.keyHash, [...ids.values()], storeId);
    const returned = await waitUntilAborted(returning, signal).catch(() => undefined);
    if (returned === undefined) return ofKey;
    const count = new Set(returned.map(base64Of)).size;
    if (count > 0) this.#options.onReturned?.(count);
    return ofKey.filter(({ isWritten }) => !isWritten);
  }
}
