import type { RateLimitPolicy } from "../../../services/registry/admissions/admission.ts";

/**
 * Returns the time of a store's request; `index` counts the requests from 0. The spacing ensures that at every request
 * from index `limit - 1` on, the oldest of the last `limit - 1` admissions has just left the window.
 */
export function admissionTime({ limit, windowMs }: RateLimitPolicy, index: number): Date {
  return new Date((index * windowMs) / (limit - 1));
}
