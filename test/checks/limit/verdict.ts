import type { RateLimitPolicy } from "../../../services/registry/admissions/admission.ts";
import { fullestWindow } from "../../../services/registry/admissions/window-model-fixture.ts";
import type { Exchange } from "./send-request.ts";

/** Observations of one store. Times are Unix timestamps in milliseconds, all from the same machine's clock. */
interface Observations {
  readonly exchanges: readonly Exchange[];
  /** Times of admissions by the clock of the database, earliest first. */
  readonly admittedAt: readonly number[];
  /**
   * Time after which admissions may be missing; requests that ended later are not judged. Undefined if no admission is
   * missing.
   */
  readonly knownUntil?: number | undefined;
}

/** Result of {@link evaluate} for one store; `over`, `under` and `unmatched` must be 0. */
export interface Verdict {
  readonly admitted: number;
  readonly refused: number;
  /** Admissions preceded by at least `limit` others within one window. */
  readonly over: number;
  /** Requests that were refused although the window was not full at any time between request and response. */
  readonly under: number;
  /**
   * Admitted requests without a matching admission, and admissions without a matching request; 0 if admissions may be
   * missing.
   */
  readonly unmatched: number;
  /** Largest number of admissions in any window. */
  readonly fullest: number;
}

/**
 * Compares a store's requests with a sliding-window log, in which an admission counts for exactly `windowMs`.
 *
 * Admission times are exact to the millisecond, so `over` is exact. A refusal is decided between request and response,
 * so it is correct when the window was full at some moment in between. Matching each admission with an admitted request
 * in progress checks that the database's times agree with the client's observations. If no refusal was wrong, a store
 * that always exceeds its limit has received everything that the window allows.
 */
export function evaluate(observations: Observations, { limit, windowMs }: RateLimitPolicy): Verdict {
  const { knownUntil = Number.POSITIVE_INFINITY } = observations;
  const exchanges = observations.exchanges.filter(({ receivedAt }) => receivedAt <= knownUntil);
  const admittedAt = observations.admittedAt.filter((at) => at <= knownUntil);
  const admitted = exchanges.filter(({ isAdmitted }) => isAdmitted);
  const refused = exchanges.filter(({ isAdmitted }) => !isAdmitted);
  const before = (index: number) => admittedAt[index - limit] ?? Number.NEGATIVE_INFINITY;
  return {
    admitted: admitted.length,
    refused: refused.length,
    over: admittedAt.filter((at, index) => at - before(index) < windowMs).length,
    under: refused.filter((exchange) => !couldBeFull(exchange, admittedAt, { limit, windowMs })).length,
    // The data can contain the admission, but not the response, of a request that was in progress at `knownUntil`.
    unmatched: knownUntil === Number.POSITIVE_INFINITY ? countUnmatched(admitted, admittedAt) : 0,
    fullest: fullestWindow(admittedAt, windowMs),
  };
}

// During a request, the number of admissions in the window is highest at the start or just after an admission.
function couldBeFull({ sentAt, receivedAt }: Exchange, times: readonly number[], policy: RateLimitPolicy) {
  const isFull = (at: number) => countUpTo(times, at) - countUpTo(times, at - policy.windowMs) >= policy.limit;
  return isFull(sentAt) || times.slice(countUpTo(times, sentAt), countUpTo(times, receivedAt)).some(isFull);
}

/** Counts the times up to and including `at` by binary search. @param times earliest first */
function countUpTo(times: readonly number[], at: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? at) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Counts the requests and admissions without a match. Each admission is matched with the request in progress that ends
 * first, which maximizes the number of matches.
 */
function countUnmatched(admitted: readonly Exchange[], times: readonly number[]): number {
  const waiting = admitted.toSorted((a, b) => a.sentAt - b.sentAt);
  let next = 0;
  let open: Exchange[] = [];
  let matched = 0;
  for (const at of times) {
    for (let first = waiting[next]; first && first.sentAt <= at; first = waiting[next]) {
      open.push(first);
      next++;
    }
    open = open.filter(({ receivedAt }) => receivedAt >= at).sort((a, b) => a.receivedAt - b.receivedAt);
    if (open.shift() !== undefined) matched++;
  }
  return admitted.length + times.length - 2 * matched;
}
