import type { PageQuery } from "#gen/registry/v1/edge_service_pb.js";
import { notFound } from "../values/not-found.ts";
import { pageOf } from "../values/page-token.ts";
import { renderSettingsOf, type StoreSettings } from "../values/store.ts";
import type { Status } from "./certificate.ts";
import { type CertificateRow, renderPage } from "./page-json.ts";
import type { CertificateSearch } from "./parse-search.ts";

/** Filters of the certificate list; a certificate must match all filters that are set (INTERFACE.md §4.1). */
export interface ListFilter extends Partial<Pick<PageQuery, "order">> {
  /** The owner's e-mail address, compared case-insensitively. */
  readonly email?: string | undefined;
  readonly certificateId?: string | undefined;
  readonly serial?: number | undefined;
  readonly status?: Status | undefined;
  /** Only certificates changed after this time. */
  readonly changedAfter?: Date | undefined;
  /**
   * If set, the most recently changed certificates come first, beginning with the last one changed before this time.
   * For display only: a client that follows changes in this order misses some.
   */
  readonly newestBefore?: Date | undefined;
}

/** A page of the certificate list. */
export interface ListPage {
  /**
   * The certificates, least recently changed first unless the filter has `newestBefore`: the members of a JSON array in
   * UTF-8, separated by commas, without brackets.
   */
  readonly json: Buffer;
  /** The `updatedAt` of the last certificate, after which the next page begins; undefined on the last page. */
  readonly next: Date | undefined;
}

/** A page of a search. */
interface SearchPage extends ListPage {
  /**
   * Set if the page ends although it is not full: certificates beyond this `updatedAt`, which is also `next`, have not
   * been read.
   */
  readonly examinedTo: Date | undefined;
}

/** The data, besides the certificates, that determine how a page is rendered. */
export interface RenderContext {
  readonly settings: StoreSettings;
  /** The database's time: one clock for all replicas. Determines which certificates have expired. */
  readonly now: Date;
}

interface CertificateFeed {
  /** Returns the settings of a store and the database's time; undefined for an unknown store. */
  readRenderContext(storeId: string, timeLimitMs: number): Promise<RenderContext | undefined>;
  /** Returns at most `countMax` certificates, sorted by `updatedAt`: ascending, or descending with `newestBefore`. */
  readRows(storeId: string, query: FeedQuery): Promise<CertificateRow[]>;
}

/** Database queries of {@link listCertificates} that can also search. */
export interface SearchableFeed extends CertificateFeed {
  /** Decides how a page of a search is read. */
  planSearch(
    storeId: string,
    search: CertificateSearch,
    page: Pick<FeedQuery, "filter" | "remainingMs">,
  ): Promise<SearchPlan>;
}

/** How a page of a search is read. */
export interface SearchPlan {
  readonly search: CertificateSearch;
  /** Whether certificates with the search's first word are read, rather than certificates in the list's order. */
  readonly isByWord: boolean;
  /** The `updatedAt` of the last certificate to read; undefined if all are read. */
  readonly end: Date | undefined;
}

/** The query for one page of a store's certificates. */
export interface FeedQuery {
  readonly filter: ListFilter;
  readonly countMax: number;
  /** Only certificates that match the search of this plan. Default: all. */
  readonly plan?: SearchPlan | undefined;
  /** The time that determines which certificates have expired; used only by the status filter. */
  readonly now: Date;
  /** See {@link PageRequest.remainingMs}. */
  readonly remainingMs: () => number;
}

/** A caller's request for a page. */
export interface PageRequest {
  readonly filter: ListFilter;
  /** Only certificates that match this search. The public list has no search. */
  readonly search?: CertificateSearch | undefined;
  /** Maximum number of certificates. */
  readonly limit: number;
  /**
   * Returns the time left for the page, in milliseconds; called before each database operation. Default: unlimited.
   *
   * @throws ServiceError `unavailable` if no time is left or the caller no longer waits
   */
  readonly remainingMs?: () => number;
}

export interface ListDeps<Feed = CertificateFeed> {
  readonly feed: Feed;
  /** Base URL of the service's own verification pages. */
  readonly serviceVerifyUrl: string;
}

/**
 * Returns one page of a store's certificates (INTERFACE.md §4.1).
 *
 * @throws ServiceError `not_found` for an unknown store; `unavailable` if the time runs out, the caller no longer waits
 *   or the database is unavailable
 */
export async function listCertificates(
  deps: ListDeps<SearchableFeed>,
  storeId: string,
  { filter, search, limit, remainingMs = () => Number.POSITIVE_INFINITY }: PageRequest,
): Promise<SearchPage> {
  const context = await deps.feed.readRenderContext(storeId, remainingMs());
  if (context === undefined) throw notFound("store");
  // One point in time for the whole page, so that the filter and the rendered status agree.
  const { now } = context;
  const plan = search && (await deps.feed.planSearch(storeId, search, { filter, remainingMs }));
  const rows = await deps.feed.readRows(storeId, { filter, plan, countMax: limit + 1, now, remainingMs });
  const page = renderListPage(deps, rows, limit, context);
  const examinedTo = page.next === undefined ? plan?.end : undefined;
  return { json: page.json, next: page.next ?? examinedTo, examinedTo };
}

/**
 * Reads the certificates of a page and the first certificate of the next page, if any.
 *
 * @param now used only by the status filter
 */
export function readPageRows(
  { feed }: Pick<ListDeps, "feed">,
  storeId: string,
  { filter, limit, remainingMs = () => Number.POSITIVE_INFINITY }: Omit<PageRequest, "search">,
  now: Date,
): Promise<CertificateRow[]> {
  return feed.readRows(storeId, { filter, countMax: limit + 1, now, remainingMs });
}

/** Renders the page that {@link readPageRows} has read. */
export function renderListPage(
  { serviceVerifyUrl }: Pick<ListDeps, "serviceVerifyUrl">,
  rows: readonly CertificateRow[],
  limit: number,
  { settings, now }: RenderContext,
): ListPage {
  const { entries, next } = pageOf(rows, limit, ({ updatedAt }) => updatedAt);
  return { json: renderPage(entries, renderSettingsOf({ settings }, serviceVerifyUrl), now), next };
}
