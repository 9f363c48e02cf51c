import { finished } from "node:stream";
import { Places } from "#shared/limits/places.ts";
import type { BucketPolicy } from "#shared/limits/token-bucket.ts";
import { TokenBuckets } from "#shared/limits/token-buckets.ts";
import type { Clock } from "#shared/time/clock.ts";
import { refuseIf } from "../../limits/refuse-if.ts";
import { SharedBudget } from "../../limits/shared-budget.ts";
import { tooManyPages } from "../../pages/qr-code.ts";

/** Number of pages that the merchants of a store may open at once. */
export const pagesAtOnceMax = 300;

/** Bounds on the pages that are prepared at a time. */
export const preparedPages = { inFlightMax: 64, inFlightPerStoreMax: 8, waitingMax: 256 } as const;

/**
 * Bounds on the downloads at a time. Up to four pages of one are in memory, about 2 MiB, for as long as its client
 * reads slowly; there is no room to wait, because a download can take minutes.
 */
export const downloadsMax = { all: 64, store: 8 } as const;

/** How often a store's pages open: some ask for news every second, and a list of products can show dozens of images. */
export const pagePolicy: BucketPolicy = { capacity: pagesAtOnceMax, tokensPerSecond: 10 };

/**
 * Limits how many pages the merchants of a store open, and how many are prepared at a time. A page can take a dozen
 * calls to the registry and much of the edge's processor time, so a program with a session would delay all stores.
 */
export class PageQuota {
  readonly #buckets: TokenBuckets;
  readonly #places = new Places(preparedPages, tooManyPages);
  readonly #downloads = new SharedBudget();

  /** @param clock a monotonic clock */
  constructor(clock: Clock) {
    this.#buckets = new TokenBuckets(clock, [pagePolicy]);
  }

  /** Counts a page of a store. @throws ServiceError `rate_limited` if the store has used up its quota */
  take(shop: string): void {
    refuseIf(this.#buckets.take([shop]), "Your store's settings are being opened too often. Try again later.");
  }

  /** Takes a page back that was counted, but not opened. */
  giveBack(shop: string): void {
    this.#buckets.giveBack([shop]);
  }

  /**
   * Prepares a page as soon as one of the places for pages in preparation is free; stores take turns.
   *
   * @throws ServiceError `unavailable` if too many pages wait; otherwise as `prepare` does
   */
  run<T>(shop: string, prepare: () => Promise<T>): Promise<T> {
    return this.#places.run(shop, prepare);
  }

  /**
   * Takes a place for a download, until its response has been sent or its client has left.
   *
   * @throws ServiceError `unavailable` if too many downloads are in progress
   */
  beginDownload(shop: string, response: NodeJS.WritableStream): void {
    const place = this.#downloads.roomIn([
      { key: "all", max: downloadsMax.all },
      { key: `store ${shop}`, max: downloadsMax.store },
    ]);
    if (!place.take(1)) throw tooManyPages();
    finished(response, () => place[Symbol.dispose]());
  }
}
