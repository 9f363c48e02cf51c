import type { Filter } from "mongodb";

/**
 * Returns a filter for the documents that match both conditions, of which an index covers only the first. For MongoDB,
 * both are one condition. A stand-in uses an index for a whole part of `$and`, but not for fewer fields of a part than
 * it has, and then examines all documents. The `$or` prevents that it joins the parts.
 */
export function narrowed<T>(indexed: Filter<T>, further: Filter<T>): Filter<T> {
  return { $and: [indexed, { $or: [further] }] } as Filter<T>;
}
