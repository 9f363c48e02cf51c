import type { Document } from "mongodb";
import { type DatabaseTime, msBetween } from "./database-time.ts";

/** The expression for whether a key is valid: it has no end, or its end has not come. */
export function isValidKey(key: `$$${string}`, now: ReturnType<DatabaseTime>): Document {
  const leftMs = msBetween(now, `${key}.validUntil`);
  return { $gt: [{ $ifNull: [leftMs, 1] }, 0] };
}
