import { isDeepStrictEqual } from "node:util";

/** A certificate, with at least its id. */
interface Identified {
  readonly id: string;
}

/** How a copy differs from the list: the ids of certificates that are missing, differ, or exist only in the copy. */
interface Difference {
  readonly missing: readonly string[];
  readonly different: readonly string[];
  readonly phantom: readonly string[];
}

/** Compares a copy with the list. The order of the certificates does not matter. */
export function compareCopy(listed: readonly Identified[], copied: readonly Identified[]): Difference {
  const copy = new Map(copied.map((one) => [one.id, one]));
  const ids = new Set(listed.map(({ id }) => id));
  return {
    missing: listed.flatMap(({ id }) => (copy.has(id) ? [] : [id])),
    different: listed.flatMap((one) => (copy.has(one.id) && !isDeepStrictEqual(copy.get(one.id), one) ? [one.id] : [])),
    phantom: copied.flatMap(({ id }) => (ids.has(id) ? [] : [id])),
  };
}
