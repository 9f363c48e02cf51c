import type { Document } from "mongodb";
import type { DatabaseTime } from "./database-time.ts";

const endless = new Date(Date.UTC(9999, 11, 31));

/** Returns an expression that tests whether a key is valid: `validUntil` is missing or in the future. */
export function isValidKey(key: `$$${string}`, now: ReturnType<DatabaseTime>): Document {
  return { $gt: [{ $ifNull: [`${key}.validUntil`, endless] }, now] };
}
