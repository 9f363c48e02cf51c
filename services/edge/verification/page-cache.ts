import { LRUCache } from "lru-cache";
import type { Language } from "#shared/texts/languages.ts";
import type { Clock } from "#shared/time/clock.ts";
import { type Rendition, textRendition } from "../http/rendition.ts";
import { htmlType } from "../pages/page-headers.ts";
import type { VerificationClient } from "../registry-client/verification-client.ts";
import type { VerificationPage } from "../registry-client/verification-page.ts";
import type { PageView } from "./certificate-view.ts";
import type { LimitRendering } from "./limit-pages.ts";
import { LookUpCache } from "./look-up-cache.ts";
import type { LookUps } from "./look-ups.ts";

interface PageCacheOptions {
  readonly registry: Pick<VerificationClient, "getPage">;
  readonly render: (page: VerificationPage, view: PageView) => string;
  /** Monotonic clock. */
  readonly clock: Clock;
  /** Called before a page is rendered that is not cached; throws to refuse it. */
  readonly limitRendering: LimitRendering;
  /** Limits the calls to the registry. */
  readonly lookUps: Pick<LookUps, "run">;
}

const currentMs = 1_000;
const pagesMax = 5_000;
// Enough for the pages of a thousand certificates.
const renditionBytesMax = 32 * 1_024 * 1_024;
// Most pages are compressed once per language and change; a higher level would save 2% of the bytes at half the speed.
const gzipLevel = 6;

interface PageData {
  readonly page: VerificationPage;
  /** Identifies the page's content: equal for equal pages. */
  readonly digest: string;
}

/**
 * Caches the data of verification pages for a second, and the rendered pages until the data changes or they are
 * evicted, so that a popular certificate costs little.
 */
export class PageCache {
  readonly #render: PageCacheOptions["render"];
  readonly #limitRendering: LimitRendering;
  readonly #pages: LookUpCache<PageData>;
  readonly #renditions = new LRUCache<string, { readonly digest: string; readonly rendition: Rendition }>({
    maxSize: renditionBytesMax,
    sizeCalculation: ({ rendition: { plain, gzipped } }) => plain.bytes.length + (gzipped?.bytes.length ?? 0),
  });

  constructor({ registry, render, limitRendering, clock, lookUps }: PageCacheOptions) {
    this.#render = render;
    this.#limitRendering = limitRendering;
    const read = async (linkToken: string) => dataOf(await registry.getPage(linkToken));
    this.#pages = new LookUpCache({ read, currentMs, entriesMax: pagesMax, clock, lookUps });
  }

  /**
   * Returns the page of a link.
   *
   * @param networks the client's networks; see ClientAddress.networks
   * @throws ServiceError `not_found` for an unknown link; otherwise as {@link LookUps.run}
   */
  async find(linkToken: string, networks: readonly string[]): Promise<VerificationPage> {
    return (await this.#pages.find(linkToken, networks)).page;
  }

  /**
   * Returns the rendered page of a link; parameters and errors as for {@link find} and {@link limitRendering}.
   *
   * @param preview whether the store views the page; see previewUrl
   */
  async rendition(
    linkToken: string,
    networks: readonly string[],
    chooseLanguage: (storeLanguage: string) => Language,
    preview = false,
  ): Promise<Rendition> {
    const { page, digest } = await this.#pages.find(linkToken, networks);
    const language = chooseLanguage(page.language);
    const key = `${language}/${linkToken}${preview ? "/preview" : ""}`;
    const cached = this.#renditions.get(key);
    if (cached?.digest === digest) return cached.rendition;
    this.#limitRendering(networks);
    const bytes = Buffer.from(this.#render(page, { language, linkToken, preview }));
    const rendition = textRendition(htmlType, bytes, gzipLevel);
    this.#renditions.set(key, { digest, rendition });
    return rendition;
  }

  /** Marks a cached page as verified, so that opening it again is not reported to the registry. */
  noteVerified(linkToken: string): void {
    this.#pages.update(linkToken, ({ page }) => dataOf({ ...page, isVerified: true }));
  }
}

function dataOf(page: VerificationPage): PageData {
  return { page, digest: JSON.stringify(page) };
}
