import { isUnavailable, ServiceError } from "#shared/errors/service-error.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { AdmissionDecision, Admissions } from "../admissions/admission.ts";
import type { PlaceReturns } from "../admissions/place-returns.ts";
import {
  type ListDeps,
  type ListFilter,
  type ListPage,
  type RenderContext,
  readPageRows,
  renderListPage,
} from "../certificates/list-certificates.ts";
import type { CertificateRow } from "../certificates/page-json.ts";
import { type CallLimits, remainingMs } from "../load/call-limits.ts";
import { LoadShedError } from "../load/load-shed-error.ts";
import type { LoadShedder } from "../load/load-shedder.ts";
import type { KeyOwners } from "./key-owners.ts";

export interface ListRequestDeps extends ListDeps {
  readonly admissions: Admissions;
  readonly placeReturns: Pick<PlaceReturns, "add">;
  readonly shedder: Pick<LoadShedder, "run">;
  readonly keyOwners: KeyOwners;
  /** Monotonic clock by which deadlines are measured. */
  readonly clock: Clock;
}

/** An API request for the certificate list. */
export interface ListRequest {
  /** SHA-256 of the API key. */
  readonly keyHash: Uint8Array;
  /** Identifies the admission, so that its place in the rate limit can be returned; random and unique. */
  readonly admissionId: Uint8Array;
  /** Undefined for a request with an invalid query: it counts towards the rate limit, but receives no page. */
  readonly page: ListPageQuery | undefined;
  readonly limits: CallLimits;
}

/** The page of certificates that a list request asks for. */
interface ListPageQuery {
  /** Undefined if no certificate can match. */
  readonly filter: ListFilter | undefined;
  /** Maximum number of certificates. */
  readonly limit: number;
}

/** The answer to a {@link ListRequest}. */
export interface ListAnswer {
  readonly decision: AdmissionDecision;
  /** Set if the request was admitted and asked for a page. */
  readonly page?: ListPage;
}

/**
 * Admits a request and reads its page, concurrently if the last request with its key was admitted and the query does
 * not filter by status. A request whose key was recently refused is first checked outside the load shedder: the check
 * waits for a shared database read, and would otherwise occupy a place that other requests need. Requests that cannot
 * be served in time are dropped before they take a place in the rate limit. A request that fails with `unavailable`
 * afterwards returns its place to the rate limit, but not if the caller has disconnected: otherwise a client could
 * cause unlimited reads by disconnecting early.
 *
 * @throws ServiceError `unavailable` because of load, an unavailable database, or a caller that has disconnected
 */
export async function handleListRequest(deps: ListRequestDeps, request: ListRequest): Promise<ListAnswer> {
  const { keyHash, limits } = request;
  const refusal = await deps.admissions.refuse(keyHash, () => remainingMs(limits, deps.clock));
  if (refusal !== undefined) {
    noteDecision(deps.keyOwners, keyHash, refusal);
    return { decision: refusal };
  }
  const store = deps.keyOwners.ownerOf(keyHash);
  return deps.shedder.run({ store, ...limits }, () => admitAndRead(deps, request));
}

async function admitAndRead(deps: ListRequestDeps, request: ListRequest): Promise<ListAnswer> {
  const { keyHash, admissionId: id } = request;
  const timeLeft = () => remainingMs(request.limits, deps.clock);
  const early = startReading(deps, request, timeLeft);
  try {
    const decision = await admit(deps, request, timeLeft);
    if (decision.admission !== "admitted") return { decision };
    try {
      const page = await readPage(deps, decision, request.page, early, timeLeft);
      // Checks the deadline once more, because the caller treats a late response as a failure.
      timeLeft();
      return { decision, ...(page && { page }) };
    } catch (error) {
      // Not the store that `keyOwners` knows: another request may have found the key revoked.
      const { storeId } = decision;
      if (isUnavailable(error) && !hasLeft(error)) deps.placeReturns.add({ keyHash, id, isWritten: true, storeId });
      throw error;
    }
  } finally {
    // The request occupies a database connection, and therefore counts as load, until the read has ended.
    await early?.rows.catch(() => undefined);
  }
}

/** Rows that are read while the admission is decided. */
interface EarlyRows {
  readonly storeId: string;
  readonly rows: Promise<CertificateRow[]>;
}

// A placeholder: reads without a filter by status do not use the time.
const unusedTime = new Date(0);

/**
 * Starts to read the page of a request that will very probably be admitted. Does nothing for a filter by status: such a
 * read may store expiries, and a request that is refused must not write.
 */
function startReading(
  deps: ListRequestDeps,
  { keyHash, page }: ListRequest,
  timeLeft: () => number,
): EarlyRows | undefined {
  const storeId = deps.keyOwners.storeOfAdmitted(keyHash);
  if (storeId === undefined || page?.filter === undefined || page.filter.status !== undefined) return undefined;
  const request = { filter: page.filter, limit: page.limit, remainingMs: timeLeft };
  const rows = readPageRows(deps, storeId, request, unusedTime);
  // Prevents an unhandled rejection: the rows of a refused request are not used.
  rows.catch(() => undefined);
  return { storeId, rows };
}

async function admit(deps: ListRequestDeps, request: ListRequest, timeLeft: () => number): Promise<AdmissionDecision> {
  const { keyHash, admissionId: id } = request;
  try {
    const decision = await deps.admissions.admit(keyHash, { id, remainingMs: timeLeft });
    noteDecision(deps.keyOwners, keyHash, decision);
    return decision;
  } catch (error) {
    // After a LoadShedError, the admission is not written. If the caller disconnected during the write, the place is
    // not returned. After any other failure, the database may have written the admission, or may still write it.
    if (
      isUnavailable(error) &&
      !(error instanceof LoadShedError) &&
      !(error instanceof ServiceError && hasLeft(error.cause))
    )
      deps.placeReturns.add({ keyHash, id, isWritten: false, storeId: deps.keyOwners.storeOf(keyHash) });
    throw error;
  }
}

/** Remembers the store of a key and whether the request was admitted; forgets a key that is not valid. */
function noteDecision(keyOwners: KeyOwners, keyHash: Uint8Array, decision: AdmissionDecision): void {
  if (decision.admission === "unknown_key") keyOwners.forget(keyHash);
  else keyOwners.note(keyHash, { storeId: decision.storeId, isAdmitted: decision.admission === "admitted" });
}

async function readPage(
  deps: ListRequestDeps,
  admitted: Admitted,
  page: ListPageQuery | undefined,
  early: EarlyRows | undefined,
  timeLeft: () => number,
): Promise<ListPage | undefined> {
  if (page === undefined) return undefined;
  const { filter, limit } = page;
  const { storeId, settings, at } = admitted;
  const context: RenderContext = { settings, now: at };
  if (filter === undefined) return renderListPage(deps, [], limit, context);
  const rows =
    early?.storeId === storeId
      ? await early.rows
      : await readPageRows(deps, storeId, { filter, limit, remainingMs: timeLeft }, context.now);
  return renderListPage(deps, rows, limit, context);
}

type Admitted = Extract<AdmissionDecision, { readonly at: Date }>;

function hasLeft(error: unknown): boolean {
  return error instanceof LoadShedError && error.reason === "caller_left";
}
