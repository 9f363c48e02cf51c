import type { RateLimitPolicy } from "../../../services/registry/stores/admission.ts";
import { fullestWindow } from "../../../services/registry/stores/window-model-fixture.ts";
import type { Exchange } from "./ask.ts";

/** What is known about a store's requests. Times are milliseconds since 1970, of one machine's clock. */
export interface Observed {
  /** As the clients saw them. */
  readonly exchanges: readonly Exchange[];
  /** When requests were admitted, by the database's clock, earliest first. */
  readonly admittedAt: readonly number[];
}

/** How a store's requests were limited. */
export interface Verdict {
  readonly admitted: number;
  readonly refused: number;
  /** Admissions that were one too many: the limit's count of others lies less than one window before them. */
  readonly over: number;
  /** Refusals though the window had room all the while that the request was under way. */
  readonly under: number;
  /** Admitted requests without an admission of their own at a time when they were under way, and the other way round. */
  readonly unmatched: number;
  /** The most that any window held. */
  readonly fullest: number;
}

/**
 * Holds a store's requests against the sliding window: a place is free again exactly one window after it was taken.
 *
 * When a request was admitted is known to the millisecond, so "too many" is exact. When one was refused is known to lie
 * between its sending and its reply: it was right to refuse it if the window was full at any moment of that time.
 * That each admission belongs to one admitted request, which was then under way, ties the database's times to what clients
 * saw. Without a refusal that was wrong, whoever always asks for more has got all that the window allows.
 */
export function judge({ exchanges, admittedAt }: Observed, { limit, windowMs }: RateLimitPolicy): Verdict {
  const admitted = exchanges.filter(({ isAdmitted }) => isAdmitted);
  const refused = exchanges.filter(({ isAdmitted }) => !isAdmitted);
  const before = (index: number) => admittedAt[index - limit] ?? Number.NEGATIVE_INFINITY;
  return {
    admitted: admitted.length,
    refused: refused.length,
    over: admittedAt.filter((at, index) => at - before(index) < windowMs).length,
    under: refused.filter((exchange) => !couldBeFull(exchange, admittedAt, { limit, windowMs })).length,
    unmatched: countUnmatched(admitted, admittedAt),
    fullest: fullestWindow(admittedAt, windowMs),
  };
}

// A window is fullest when it begins to be looked at, or just after an admission.
function couldBeFull({ sentAt, receivedAt }: Exchange, times: readonly number[], policy: RateLimitPolicy) {
  const isFull = (at: number) =>
    countUpTo(times, at) - countUpTo(times, at - policy.windowMs) >= policy.limit;
  return isFull(sentAt) || times.slice(countUpTo(times, sentAt), countUpTo(times, receivedAt)).some(isFull);
}

/** How many times are at this one or earlier. @param times earliest first */
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

/** Gives each admission the request under way that was answered first, which leaves the fewest without one. */
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
