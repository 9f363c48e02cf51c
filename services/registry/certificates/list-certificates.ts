import { ServiceError } from "#shared/errors/service-error.ts";
import { renderSettingsOf, type Store } from "../stores/store.ts";
import type { Certificate, Status } from "./certificate.ts";
import { renderCertificate } from "./public-json.ts";

/** Which certificates a list shows; all of the conditions hold (INTERFACE.md §4.1). */
export interface ListFilter {
  /** The owner's e-mail address, in any case. */
  readonly email?: string;
  /** The order's name, exactly. */
  readonly orderName?: string;
  /** The order's id. */
  readonly orderId?: string;
  readonly serial?: number;
  readonly status?: Status;
  /** Only certificates changed after this time. */
  readonly changedAfter?: Date;
}

/** One page to read. */
export interface ListQuery {
  readonly filter: ListFilter;
  /** Certificates at the most. */
  readonly limit: number;
}

/** One page. */
export interface ListPage {
  /** Each certificate's public JSON, oldest change first. */
  readonly certificates: readonly Buffer[];
  /** Where the next page begins; undefined when this was the last one. */
  readonly next: Date | undefined;
}

/** A store at the time of reading. */
export interface StoreAtNow {
  readonly store: Store;
  /** The time of the database, one clock for all replicas. */
  readonly now: Date;
}

/** What the list reads from. */
export interface CertificateFeed {
  findStore(storeId: string): Promise<StoreAtNow | undefined>;
  /** Certificates in the order of `updatedAt`, at most so many. `now` decides what has expired. */
  readFeed(storeId: string, filter: ListFilter, countMax: number, now: Date): Promise<Certificate[]>;
}

/** What {@link listCertificates} works with. */
export interface ListDeps {
  readonly feed: CertificateFeed;
  /** The service's own verification address. */
  readonly serviceVerifyUrl: string;
}

/**
 * One page of a store's certificates in the order of their last change (INTERFACE.md §4.1).
 *
 * @throws ServiceError `not_found` for an unknown store
 */
export async function listCertificates(deps: ListDeps, storeId: string, query: ListQuery): Promise<ListPage> {
  const found = await deps.feed.findStore(storeId);
  if (found === undefined) throw new ServiceError("not_found", "There is no such store.");
  // One point in time for the whole page: the filter and the shown status must agree.
  const { store, now } = found;
  const certificates = await deps.feed.readFeed(storeId, query.filter, query.limit + 1, now);
  const page = certificates.slice(0, query.limit);
  const settings = renderSettingsOf(store, deps.serviceVerifyUrl);
  return {
    certificates: page.map((certificate) => renderCertificate(certificate, settings, now)),
    next: certificates.length > query.limit ? page.at(-1)?.updatedAt : undefined,
  };
}
