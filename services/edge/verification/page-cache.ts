import { LRUCache } from "lru-cache";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { Clock } from "#shared/time/clock.ts";
import { type Rendition, textRendition } from "../http/rendition.ts";
import type { NetworkBuckets } from "../limits/network-buckets.ts";
import type { Language } from "../pages/messages/languages.ts";
import { htmlType } from "../pages/page-headers.ts";
import type { VerificationClient } from "../registry-client/verification-client.ts";
import type { VerificationPage } from "../registry-client/verification-page.ts";

/** Dependencies and bounds of a {@link PageCache}. */
export interface PageCacheOptions {
  readonly registry: Pick<VerificationClient, "getPage">;
  readonly render: (page: VerificationPage, language: Language, linkToken: string) => string;
  /** Monotonic clock. */
  readonly clock: Clock;
  /** Limits how many unknown links a client may try. */
  readonly unknownLinks: Pick<NetworkBuckets, "take" | "giveBack">;
  /** Maximum number of calls to the registry in progress; a request that needs another call gets `unavailable`. */
  readonly lookupsMax: number;
  /** Called for each request that is refused because of `lookupsMax`. */
  readonly onShed?: () => void;
}

/** How long a cached page counts as current. An older one is read again, so that changes become visible. */
const currentMs = 1_000;
// Link tokens are random, so an unknown one never becomes valid, unless a backup that contains it is restored.
const unknownMs = 30_000;
const pagesMax = 5_000;
const unknownMax = 20_000;
// Enough for the pages of a thousand certificates.
const renditionBytesMax = 32 * 1_024 * 1_024;
// Most pages are compressed once per language and change; a higher level would save 2% of the bytes at half the speed.
const gzipLevel = 6;

interface Entry {
  readonly page: VerificationPage;
  /** Identifies the page's content: equal for equal pages. */
  readonly digest: string;
  readonly readAtMs: number;
}

/**
 * Caches verification pages of the registry for a second, and rendered pages until they change or are evicted, so that
 * a popular certificate costs little. Concurrent requests for the same page share one call.
 */
export class PageCache {
  readonly #options: PageCacheOptions;
  readonly #entries = new LRUCache<string, Entry>({ max: pagesMax });
  readonly #unknownUntilMs = new LRUCache<string, number>({ max: unknownMax });
  readonly #lookups = new Map<string, Promise<Entry>>();
  readonly #renditions = new LRUCache<string, { readonly digest: string; readonly rendition: Rendition }>({
    maxSize: renditionBytesMax,
    sizeCalculation: ({ rendition: { plain, gzipped } }) => plain.bytes.length + (gzipped?.bytes.length ?? 0),
  });

  constructor(options: PageCacheOptions) {
    this.#options = options;
  }

  /**
   * Returns the page of a link.
   *
   * @param networks the client's networks; see ClientAddress.networks
   * @throws ServiceError `not_found` for an unknown link; `rate_limited` for a client that tried too many unknown
   * links; `unavailable` beyond `lookupsMax`; or an error of the registry
   */
  async find(linkToken: string, networks: readonly string[]): Promise<VerificationPage> {
    return (await this.#entry(linkToken, networks)).page;
  }

  /** Returns the rendered page of a link; parameters and errors as for {@link find}. */
  async rendition(
    linkToken: string,
    networks: readonly string[],
    chooseLanguage: (storeLanguage: string) => Language,
  ): Promise<Rendition> {
    const { page, digest } = await this.#entry(linkToken, networks);
    const language = chooseLanguage(page.language);
    const key = `${language}/${linkToken}`;
    const cached = this.#renditions.get(key);
    if (cached?.digest === digest) return cached.rendition;
    const bytes = Buffer.from(this.#options.render(page, language, linkToken));
    const rendition = textRendition(htmlType, bytes, gzipLevel);
    this.#renditions.set(key, { digest, rendition });
    return rendition;
  }

  /** Marks a cached page as verified, so that its next openings are not sent to the registry. */
  noteVerified(linkToken: string): void {
    const entry = this.#entries.peek(linkToken);
    if (entry !== undefined) this.#entries.set(linkToken, entryOf({ ...entry.page, isVerified: true }, entry.readAtMs));
  }

  async #entry(linkToken: string, networks: readonly string[]): Promise<Entry> {
    const nowMs = this.#options.clock.now();
    const entry = this.#entries.get(linkToken);
    if (entry !== undefined && nowMs < entry.readAtMs + currentMs) return entry;
    if ((this.#unknownUntilMs.get(linkToken) ?? Number.NEGATIVE_INFINITY) > nowMs) throw unknownLink();
    const pending = this.#lookups.get(linkToken);
    if (pending !== undefined) return pending;
    if (this.#lookups.size >= this.#options.lookupsMax) throw this.#shed();
    const lookup = this.#lookUp(linkToken, networks, nowMs);
    this.#lookups.set(linkToken, lookup);
    try {
      return await lookup;
    } finally {
      this.#lookups.delete(linkToken);
    }
  }

  async #lookUp(linkToken: string, networks: readonly string[], nowMs: number): Promise<Entry> {
    const { registry, unknownLinks } = this.#options;
    if (unknownLinks.take(networks) > 0) throw new ServiceError("rate_limited", "Too many unknown links were opened.");
    let isUnknown = false;
    try {
      const entry = entryOf(await registry.getPage(linkToken), nowMs);
      this.#entries.set(linkToken, entry);
      return entry;
    } catch (error) {
      isUnknown = error instanceof ServiceError && error.code === "not_found";
      if (isUnknown) this.#unknownUntilMs.set(linkToken, nowMs + unknownMs);
      throw error;
    } finally {
      if (!isUnknown) unknownLinks.giveBack(networks);
    }
  }

  #shed(): ServiceError {
    this.#options.onShed?.();
    return new ServiceError("unavailable", "Too many pages are being opened.", {
      cause: new Error("too many page look-ups are in progress (EDGE_PAGE_LOOKUPS_MAX)"),
    });
  }
}

/** Returns the error for a link that no certificate has. */
export function unknownLink(): ServiceError {
  return new ServiceError("not_found", "There is no such certificate.");
}

function entryOf(page: VerificationPage, readAtMs: number): Entry {
  return { page, digest: JSON.stringify(page), readAtMs };
}
