import type { Document } from "mongodb";

/** The database's time in an aggregation expression: `$$NOW`, or a fixed time in tests of clocks that jump. */
export type DatabaseTime = () => "$$NOW" | Date;

type DateExpression = "$$NOW" | Date | `$${string}`;

// Expressions compute with milliseconds since 1970, so that times and durations share one arithmetic.

/** Returns the expression for a date in milliseconds since 1970; null for a missing date, which is less than any number. */
export function toMs(date: DateExpression): Document {
  return { $toLong: date };
}

/** Returns the expression for the date at so many milliseconds since 1970. */
export function toDate(ms: Document): Document {
  return { $toDate: ms };
}

/** Returns the expression for a date plus a duration, in milliseconds since 1970. */
export function addMs(date: DateExpression, durationMs: number): Document {
  return { $add: [toMs(date), durationMs] };
}
