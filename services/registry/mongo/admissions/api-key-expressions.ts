import type { Document } from "mongodb";
import { type DatabaseTime, toMs } from "../driver/database-time.ts";

/** Returns an expression for the valid keys. Storing only these makes the end of the others final. */
export function validKeys(now: ReturnType<DatabaseTime>, keys: Document | "$keys" = "$keys"): Document {
  return { $filter: { input: keys, as: "key", cond: isValidKey("$$key", now) } };
}

/** Returns an expression that tests whether a key is valid: `validUntil` is not set, or is in the future. */
export function isValidKey(key: `$$${string}`, now: ReturnType<DatabaseTime>): Document {
  const validUntil = { $ifNull: [toMs(`${key}.validUntil`), Number.MAX_SAFE_INTEGER] };
  return { $gt: [validUntil, toMs(now)] };
}
