import type { Collection, Db, Document } from "mongodb";
import { type Collections, collectionsOf } from "../collections.ts";

const omitted: readonly string[] = [
  // They describe running replicas.
  ...(["leases", "replicas"] satisfies readonly (keyof Collections)[]),
  // A restore would undo their revocation and their use. Used platform tokens are backed up, so that they stay used.
  ...(["sessions", "settingsLinks"] satisfies readonly (keyof Collections)[]),
];

/** Returns whether a collection survives a restore. Backups omit the others. */
export function isBackedUp(collection: string): boolean {
  return !omitted.includes(collection);
}

/** Returns every collection of the registry, for code to which the types of the documents do not matter. */
export function everyCollection(database: Db): Collection<Document>[] {
  return Object.values(collectionsOf(database)).map(({ collectionName }) => database.collection(collectionName));
}
