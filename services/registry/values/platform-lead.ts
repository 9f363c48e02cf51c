/**
 * How far the clock of a storefront platform may be ahead of the registry's, in milliseconds. Times that the platform
 * reports are believed up to this lead; later ones are forged or wrong.
 */
export const platformLeadMaxMs = 10_000;

/** Returns a time that a platform reports, or the latest time that is believed. @param nowMs by the database's clock */
export function permittedTime(reported: Date, nowMs: number): Date {
  return new Date(Math.min(reported.getTime(), nowMs + platformLeadMaxMs));
}
