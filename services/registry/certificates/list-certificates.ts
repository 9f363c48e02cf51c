import type { ListCertificatesRequest } from "#gen/registry/v1/edge_service_pb.js";
import { type CallLimits, noLimits } from "../load/call-limits.ts";
import { storeNotFound } from "../values/not-found.ts";
import { renderSettingsOf, type Store } from "../values/store.ts";
import type { Certificate, Status } from "./certificate.ts";
import { renderCertificate } from "./public-json.ts";

/** Filters of the certificate list; a certificate must match all filters that are set (INTERFACE.md §4.1). */
export interface ListFilter extends Partial<Pick<ListCertificatesRequest, "order">> {
  /** The owner's e-mail address, compared case-insensitively. */
  readonly email?: string | undefined;
  readonly serial?: number | undefined;
  readonly status?: Status | undefined;
  /** Only certificates changed after this time. */
  readonly changedAfter?: Date | undefined;
}

/** A page of the certificate list. */
export interface ListPage {
  /** The public JSON of each certificate, least recently changed first. */
  readonly certificates: readonly Buffer[];
  /** The `updatedAt` after which the next page begins; undefined on the last page. */
  readonly next: Date | undefined;
}

/** A store, and the time at which it was read. */
export interface StoreAtNow {
  readonly store: Store;
  /** The database's time: one clock for all replicas. */
  readonly now: Date;
}

/** Database queries of {@link listCertificates}. They end at the caller's deadline; by default there is none. */
export interface CertificateFeed {
  findStore(storeId: string, limits?: CallLimits): Promise<StoreAtNow | undefined>;
  /** Returns at most `countMax` certificates, ordered by `updatedAt`; `now` decides which certificates have expired. */
  readFeed(
    storeId: string,
    filter: ListFilter,
    countMax: number,
    now: Date,
    limits?: CallLimits,
  ): Promise<Certificate[]>;
}

/** Dependencies of {@link listCertificates}. */
export interface ListDeps {
  readonly feed: CertificateFeed;
  /** Base URL of the service's own verification pages. */
  readonly serviceVerifyUrl: string;
}

interface ListQuery {
  readonly filter: ListFilter;
  readonly limit: number;
  readonly limits?: CallLimits;
}

/**
 * Returns one page of a store's certificates, least recently changed first (INTERFACE.md §4.1).
 *
 * @param limit maximum number of certificates
 * @throws ServiceError `not_found` for an unknown store
 */
export async function listCertificates(
  deps: ListDeps,
  storeId: string,
  { filter, limit, limits = noLimits }: ListQuery,
): Promise<ListPage> {
  const found = await deps.feed.findStore(storeId, limits);
  if (found === undefined) throw storeNotFound();
  // One point in time for the whole page, so that the filter and the rendered status agree.
  const { store, now } = found;
  const certificates = await deps.feed.readFeed(storeId, filter, limit + 1, now, limits);
  const page = certificates.slice(0, limit);
  const settings = renderSettingsOf(store, deps.serviceVerifyUrl);
  return {
    certificates: page.map((certificate) => renderCertificate(certificate, settings, now)),
    next: certificates.length > limit ? page.at(-1)?.updatedAt : undefined,
  };
}
