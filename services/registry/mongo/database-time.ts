import type { Document } from "mongodb";

/** The database's time in an aggregation expression: `$$NOW`, or a fixed time in a test of clocks that jump. */
export type DatabaseTime = () => "$$NOW" | Date;

/** The expression for a date so many milliseconds later. */
export function dateAfter(startDate: "$$NOW" | Date | `$${string}`, amountMs: number): Document {
  return { $dateAdd: { startDate, unit: "millisecond", amount: amountMs } };
}
