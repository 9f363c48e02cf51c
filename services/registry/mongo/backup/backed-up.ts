import type { Collection, Db, Document } from "mongodb";
import { type Collections, collectionsOf } from "../collections.ts";

// They describe running replicas.
const omitted: readonly string[] = ["leases", "replicas"] satisfies readonly (keyof Collections)[];

/** Returns whether backups contain a collection. */
export function isBackedUp(collection: string): boolean {
  return !omitted.includes(collection);
}

/** Returns every collection of the registry, for code to which the types of the documents do not matter. */
export function everyCollection(database: Db): Collection<Document>[] {
  return Object.values(collectionsOf(database)).map(({ collectionName }) => database.collection(collectionName));
}
