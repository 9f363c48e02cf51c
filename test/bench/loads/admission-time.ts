import type { RateLimitPolicy } from "../../../services/registry/stores/admission.ts";

/**
 * When a store's n-th request comes, counted from 0. So evenly that from the limit's last but one on, each finds all places
 * but one taken and is admitted, and the place of the first request in the window is just free.
 */
export function admissionTime({ limit, windowMs }: RateLimitPolicy, index: number): Date {
  return new Date((index * windowMs) / (limit - 1));
}
