import type { Collections } from "../collections.ts";

// They describe running replicas.
const omitted: readonly string[] = ["leases", "replicas"] satisfies readonly (keyof Collections)[];

/** Returns whether backups contain a collection. */
export function isBackedUp(collection: string): boolean {
  return !omitted.includes(collection);
}
