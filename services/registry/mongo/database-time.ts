import type { Document } from "mongodb";

/** The database's time in an aggregation expression: `$$NOW`, or a fixed time in a test of clocks that jump. */
export type DatabaseTime = () => "$$NOW" | Date;

/**
 * The expression for the milliseconds from one date to another; null, which is less than every number, where one is missing.
 * `$$NOW` and a stored date are compared by it, too: not every server that speaks MongoDB puts the two in order.
 */
export function msBetween(
  startDate: "$$NOW" | Date | `$${string}`,
  endDate: typeof startDate | Document,
): Document {
  return { $dateDiff: { startDate, endDate, unit: "millisecond" } };
}

/** The expression for a date so many milliseconds later. */
export function dateAfter(startDate: "$$NOW" | Date | `$${string}`, amountMs: number): Document {
  return { $dateAdd: { startDate, unit: "millisecond", amount: amountMs } };
}
