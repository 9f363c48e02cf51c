import type { Clock } from "#shared/time/clock.ts";

/**
 * How far the clock of a storefront platform may be ahead of the registry's, in milliseconds. Times that the platform
 * reports are believed up to this lead; later ones are forged or wrong.
 */
export const platformLeadMaxMs = 10_000;

/** Returns a time that a platform reports, or the latest time that is believed. @param clock the database's clock */
export function permittedTime(reported: Date, clock: Pick<Clock, "now">): Date {
  return new Date(Math.min(reported.getTime(), clock.now() + platformLeadMaxMs));
}
