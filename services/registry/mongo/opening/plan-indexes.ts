import type { Document, IndexDescription } from "mongodb";

/** The changes that a collection's indexes need. */
export interface IndexPlan {
  /** Names of the indexes to create. */
  readonly missing: readonly string[];
  /** TTL indexes whose `expireAfterSeconds` must change, with the new values. */
  readonly lives: readonly { readonly name: string; readonly expireAfterSeconds: number }[];
}

/** Compares a collection's indexes, as `listIndexes` returns them, with those that this version needs. */
export function planIndexes(existing: readonly Document[], wanted: readonly IndexDescription[]): IndexPlan {
  const found = new Map(existing.map((index) => [index.name, index]));
  return {
    missing: wanted.flatMap(({ name = "" }) => (found.has(name) ? [] : [name])),
    lives: wanted.flatMap(({ name = "", expireAfterSeconds }) => {
      const current = found.get(name);
      const isSame =
        current === undefined ||
        expireAfterSeconds === undefined ||
        // The server may store the number as another numeric type.
        Number(current.expireAfterSeconds) === expireAfterSeconds;
      return isSame ? [] : [{ name, expireAfterSeconds }];
    }),
  };
}
