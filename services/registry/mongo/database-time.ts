import type { Document } from "mongodb";

/** Returns the database's time as an expression: `$$NOW`, or, in tests, a date that the test controls. */
export type DatabaseTime = () => "$$NOW" | Date;

type DateExpression = "$$NOW" | Date | `$${string}`;

// Expressions use milliseconds since 1970, so that dates and durations can be added and compared.

/**
 * Returns an expression that converts a date to milliseconds since 1970. A missing date gives null, which sorts before
 * any number.
 */
export function toMs(date: DateExpression | Document): Document {
  return { $toLong: date };
}

/** Returns an expression that converts milliseconds since 1970 to a date. */
export function toDate(ms: Document): Document {
  return { $toDate: ms };
}

/** Returns an expression for a date plus a duration, in milliseconds since 1970. */
export function addMs(date: DateExpression, durationMs: number): Document {
  return { $add: [toMs(date), durationMs] };
}
