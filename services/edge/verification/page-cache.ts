import { LRUCache } from "lru-cache";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { Language } from "#shared/texts/languages.ts";
import type { Clock } from "#shared/time/clock.ts";
import { type Rendition, textRendition } from "../http/rendition.ts";
import { htmlType } from "../pages/page-headers.ts";
import type { VerificationClient } from "../registry-client/verification-client.ts";
import type { VerificationPage } from "../registry-client/verification-page.ts";
import type { PageView } from "./certificate-view.ts";
import { isUnknown, type LookUps } from "./look-ups.ts";
import { UnknownNames } from "./unknown-names.ts";

interface PageCacheOptions {
  readonly registry: Pick<VerificationClient, "getPage">;
  readonly render: (page: VerificationPage, view: PageView) => string;
  /** Monotonic clock. */
  readonly clock: Clock;
  /** Limits the calls to the registry. */
  readonly lookUps: Pick<LookUps, "run">;
}

/** How long a cached page counts as current. An older page is read again, so that changes become visible. */
const currentMs = 1_000;
const pagesMax = 5_000;
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
 * Caches the data of verification pages for a second, and the rendered pages until the data changes or they are
 * evicted, so that a popular certificate costs little. Concurrent requests for the same page share one call.
 */
export class PageCache {
  readonly #options: PageCacheOptions;
  readonly #entries = new LRUCache<string, Entry>({ max: pagesMax });
  readonly #unknown: UnknownNames;
  readonly #pending = new Map<string, Promise<Entry>>();
  readonly #renditions = new LRUCache<string, { readonly digest: string; readonly rendition: Rendition }>({
    maxSize: renditionBytesMax,
    sizeCalculation: ({ rendition: { plain, gzipped } }) => plain.bytes.length + (gzipped?.bytes.length ?? 0),
  });

  constructor(options: PageCacheOptions) {
    this.#options = options;
    this.#unknown = new UnknownNames(options.clock);
  }

  /**
   * Returns the page of a link.
   *
   * @param networks the client's networks; see ClientAddress.networks
   * @throws ServiceError `not_found` for an unknown link; otherwise as {@link LookUps.run}
   */
  async find(linkToken: string, networks: readonly string[]): Promise<VerificationPage> {
    return (await this.#entry(linkToken, networks)).page;
  }

  /**
   * Returns the rendered page of a link; parameters and errors as for {@link find}.
   *
   * @param preview whether the store views the page; see previewUrl
   */
  async rendition(
    linkToken: string,
    networks: readonly string[],
    chooseLanguage: (storeLanguage: string) => Language,
    preview = false,
  ): Promise<Rendition> {
    const { page, digest } = await this.#entry(linkToken, networks);
    const language = chooseLanguage(page.language);
    const key = `${language}/${linkToken}${preview ? "/preview" : ""}`;
    const cached = this.#renditions.get(key);
    if (cached?.digest === digest) return cached.rendition;
    const bytes = Buffer.from(this.#options.render(page, { language, linkToken, preview }));
    const rendition = textRendition(htmlType, bytes, gzipLevel);
    this.#renditions.set(key, { digest, rendition });
    return rendition;
  }

  /** Marks a cached page as verified, so that opening it again is not reported to the registry. */
  noteVerified(linkToken: string): void {
    const entry = this.#entries.peek(linkToken);
    if (entry !== undefined) this.#entries.set(linkToken, entryOf({ ...entry.page, isVerified: true }, entry.readAtMs));
  }

  async #entry(linkToken: string, networks: readonly string[]): Promise<Entry> {
    const nowMs = this.#options.clock.now();
    const entry = this.#entries.get(linkToken);
    if (entry !== undefined && nowMs < entry.readAtMs + currentMs) return entry;
    if (this.#unknown.has(linkToken)) throw unknownLink();
    const pending = this.#pending.get(linkToken);
    if (pending !== undefined) return pending;
    const lookUp = this.#lookUp(linkToken, networks, nowMs);
    this.#pending.set(linkToken, lookUp);
    try {
      return await lookUp;
    } finally {
      this.#pending.delete(linkToken);
    }
  }

  async #lookUp(linkToken: string, networks: readonly string[], nowMs: number): Promise<Entry> {
    const { registry, lookUps } = this.#options;
    try {
      const entry = entryOf(await lookUps.run(networks, () => registry.getPage(linkToken)), nowMs);
      this.#entries.set(linkToken, entry);
      return entry;
    } catch (error) {
      if (isUnknown(error)) this.#unknown.add(linkToken);
      throw error;
    }
  }
}

/** Returns the error for an unknown link, logo or file. */
export function unknownLink(): ServiceError {
  return new ServiceError("not_found", "There is no such certificate.");
}

function entryOf(page: VerificationPage, readAtMs: number): Entry {
  return { page, digest: JSON.stringify(page), readAtMs };
}
