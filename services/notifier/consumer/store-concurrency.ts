/**
 * The latency class of a store's receiver, according to the store's last delivery. `unknown`: no delivery has ended or
 * become slow yet, and no event has been skipped.
 */
export type LatencyClass = "unknown" | "fast" | "slow";

/** The concurrency that a store's recent latency allows. */
export interface StoreConcurrency {
  readonly limit: number;
  readonly latencyClass: LatencyClass;
}

/** A store is classified as slow if a delivery takes longer than this, in milliseconds. */
export const slowMs = 2_000;

/** The concurrency of a store of unknown latency. */
export const initialConcurrency: StoreConcurrency = { limit: 2, latencyClass: "unknown" };

/** The concurrency of a store whose delivery took, or is already taking, longer than {@link slowMs}. */
export const slowConcurrency: StoreConcurrency = { limit: 1, latencyClass: "slow" };

/**
 * Returns the concurrency after a delivery (slow start): each fast delivery doubles the limit up to `limitMax`, a slow
 * one reduces it to 1.
 */
export function adjustConcurrency(
  concurrency: StoreConcurrency,
  deliveryMs: number,
  limitMax: number,
): StoreConcurrency {
  if (deliveryMs > slowMs) return slowConcurrency;
  return { limit: Math.min(limitMax, concurrency.limit * 2), latencyClass: "fast" };
}

/**
 * Returns the concurrency after a skipped event: as after a fast delivery, so that a backlog of such events is settled
 * quickly. A slow store stays slow, because a skip reveals nothing about its receiver.
 */
export function adjustAfterSkip(concurrency: StoreConcurrency, limitMax: number): StoreConcurrency {
  return concurrency.latencyClass === "slow" ? concurrency : adjustConcurrency(concurrency, 0, limitMax);
}

/**
 * Returns the maximum number of delivery slots for all slow stores together (a quarter of the slots) and for all stores
 * of unknown latency together (an eighth). Idle pulls hold up to half of the slots, so at least an eighth remains for
 * fast stores.
 */
export function latencyClassLimits(concurrencyMax: number) {
  return { slowMax: Math.floor(concurrencyMax / 4), unknownMax: Math.floor(concurrencyMax / 8) };
}

interface StoreLoad {
  readonly latencyClass: LatencyClass;
  /** Number of messages that wait for a delivery slot. */
  readonly waiting: number;
}

/**
 * Returns whether `one` must shed a message before `other`. Slow stores and stores of unknown latency shed before fast
 * stores. Otherwise the store with more waiting messages sheds first; if both have the same number, a slow store sheds
 * before a store of unknown latency.
 */
export function shedsBefore(one: StoreLoad, other: StoreLoad): boolean {
  const differences = [
    Number(one.latencyClass !== "fast") - Number(other.latencyClass !== "fast"),
    one.waiting - other.waiting,
    Number(one.latencyClass === "slow") - Number(other.latencyClass === "slow"),
  ];
  return (differences.find((difference) => difference !== 0) ?? 0) > 0;
}
