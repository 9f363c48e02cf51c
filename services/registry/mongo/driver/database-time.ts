import type { Document } from "mongodb";

/** Returns the database's time as an expression: `$$NOW`, or, in tests, a date that the test controls. */
export type DatabaseTime = () => "$$NOW" | Date;

type DateExpression = "$$NOW" | Date | `$${string}`;

// Expressions compare and add milliseconds since 1970, never dates: not every supported server compares `$$NOW` with a
// stored date as MongoDB does. test/harness/database-commands/ checks the commands of all tests. Filters and updates
// without expressions compare stored dates with date constants.

/**
 * Returns an expression that converts a date to milliseconds since 1970. A missing date gives null, which sorts before
 * any number.
 */
export function toMs(date: DateExpression | Document): Document {
  return { $toLong: date };
}

/** Returns an expression that converts milliseconds since 1970 to a date. */
export function toDate(ms: `$${string}` | Document): Document {
  return { $toDate: ms };
}

/** Returns an expression for the earlier of two dates. Null and missing dates are ignored. */
export function earlier(first: DateExpression, second: DateExpression | Document): Document {
  return toDate({ $min: [toMs(first), toMs(second)] });
}

/** Returns an expression for the later of two dates. Null and missing dates are ignored. */
export function later(first: DateExpression, second: DateExpression | Document): Document {
  return toDate({ $max: [toMs(first), toMs(second)] });
}

/** Returns an expression for a date plus a duration, in milliseconds since 1970. */
export function addMs(date: DateExpression, durationMs: number): Document {
  return { $add: [toMs(date), durationMs] };
}
