import { type Certificate, isCertificate, isObject } from "./certificate.ts";
import { type CertificateFilter, type PageQuery, parametersOf } from "./certificate-filter.ts";
import { type Clock, systemClock } from "./transport/clock.ts";
import { getJson, type Transport, unexpectedResponse } from "./transport/get-json.ts";
import { bearerOf, serviceUrl } from "./transport/request-target.ts";

/** Options of {@link RegistryClient}. */
export interface RegistryClientOptions {
  /** URL of the service, such as `https://registry.example`, with or without a path. */
  readonly baseUrl: string | URL;
  /** The API key, which begins with `crk_`. */
  readonly apiKey: string;
  /** Time limit of one attempt, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** Latest start of a retry, in milliseconds after the first attempt began; 0 disables retries. Default 120,000. */
  readonly maxWaitMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Default: the system's clock. Replace it in tests. */
  readonly clock?: Clock;
}

/** One page of the list. */
export interface CertificatePage {
  /** Least recently changed first. */
  readonly certificates: readonly Certificate[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
  /** Identifies the feed; changes when the feed is restored from a backup. Null if the response has no epoch. */
  readonly epoch: string | null;
}

interface CallOptions {
  /** Aborts the request, also during a wait between two attempts. */
  readonly signal?: AbortSignal;
}

/** Reads the certificates of a store. Failed requests throw a RegistryError; aborted ones throw the signal's reason. */
export class RegistryClient {
  readonly #listUrl: URL;
  readonly #transport: Transport;

  /** @throws TypeError for an invalid URL, or a key that is missing or cannot be sent */
  constructor(options: RegistryClientOptions) {
    const { baseUrl, timeoutMs = 30_000, maxWaitMs = 120_000, fetch, clock = systemClock } = options;
    const apiKey = bearerOf(options.apiKey, "apiKey", "API key");
    this.#listUrl = serviceUrl(baseUrl, "/v1/certificates");
    this.#transport = { apiKey, fetch: fetch ?? globalThis.fetch, clock, timeoutMs, maxWaitMs };
  }

  /**
   * Requests one certificate, such as the one that a webhook message names.
   *
   * @throws ApiError with the code `not_found` if the store has no certificate with this id
   */
  async get(id: string, { signal }: CallOptions = {}): Promise<Certificate> {
    // An empty id would be the path of the list.
    if (typeof id !== "string" || id === "") throw new TypeError("id is missing or not a string");
    const url = new URL(this.#listUrl);
    url.pathname += `/${encodeURIComponent(id)}`;
    const { body, headers } = await getJson(this.#transport, url, signal);
    if (!isCertificate(body)) throw unexpectedResponse("a certificate", url.origin, headers);
    return body;
  }

  /** Requests the first page of a query or, with `cursor`, the next page. */
  async getPage(query: PageQuery = {}, { signal }: CallOptions = {}): Promise<CertificatePage> {
    const url = new URL(this.#listUrl);
    // `%20` rather than `+`, which the service takes for a plus sign.
    url.search = parametersOf(query).toString().replaceAll("+", "%20");
    const { body, headers } = await getJson(this.#transport, url, signal);
    return { ...pageOf(body, url, headers), epoch: headers.get("x-feed-epoch") };
  }

  /** Reads all pages of a query, one request per page. */
  async *pages(
    query: Omit<PageQuery, "cursor"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<CertificatePage, void> {
    const { limit } = query;
    let page = await this.getPage(query, options);
    yield page;
    while (page.nextCursor !== null) {
      const { nextCursor: cursor } = page;
      page = await this.getPage(limit === undefined ? { cursor } : { cursor, limit }, options);
      yield page;
    }
  }

  /** Reads all certificates that match a filter, least recently changed first. */
  async *certificates(filter: CertificateFilter = {}, options: CallOptions = {}): AsyncGenerator<Certificate, void> {
    for await (const { certificates } of this.pages(filter, options)) yield* certificates;
  }
}

function pageOf(body: unknown, url: URL, headers: Headers): Pick<CertificatePage, "certificates" | "nextCursor"> {
  if (isObject(body)) {
    const { certificates, next_cursor: nextCursor } = body;
    const isPage = Array.isArray(certificates) && certificates.every(isCertificate);
    if (isPage && (nextCursor === null || typeof nextCursor === "string")) return { certificates, nextCursor };
  }
  throw unexpectedResponse("a page of certificates", url.origin, headers);
}
