import type { RateLimitPolicy } from "../../../services/registry/stores/admission.ts";

/**
 * Returns the time of a store's request `index`, counted from 0. The requests are spaced so that from request `limit - 1` on,
 * each finds all places but one taken: the oldest admission has just left the window.
 */
export function admissionTime({ limit, windowMs }: RateLimitPolicy, index: number): Date {
  return new Date((index * windowMs) / (limit - 1));
}
