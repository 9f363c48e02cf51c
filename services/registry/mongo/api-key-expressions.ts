import type { Document } from "mongodb";
import { type DatabaseTime, msBetween } from "./database-time.ts";

// Later than anything: keys without an end have no field. Not every server that speaks MongoDB reads the years from 10,000 on.
const never = new Date("9999-12-31T23:59:59.999Z");

/** The expression for whether a key is valid: it has no end, or its end has not come. */
export function isValidKey(key: `$$${string}`, now: ReturnType<DatabaseTime>): Document {
  return { $gt: [msBetween(now, { $ifNull: [`${key}.validUntil`, never] }), 0] };
}
