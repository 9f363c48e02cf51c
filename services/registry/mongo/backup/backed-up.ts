import type { Collection, Db, Document } from "mongodb";
import { type Collections, collectionsOf } from "../documents/collections.ts";

const omitted: readonly string[] = [
  // Leases and heartbeats belong to running replicas.
  ...(["leases", "replicas"] satisfies readonly (keyof Collections)[]),
  // A restore would undo the revocation of sessions and the use of links. `platformTokens`, in contrast, is backed up:
  // it lists the used tokens, which must not be accepted again.
  ...(["sessions", "settingsLinks"] satisfies readonly (keyof Collections)[]),
  // The same applies to listen tokens; without them, no listener reads the messages.
  ...(["listenTokens", "listenMessages"] satisfies readonly (keyof Collections)[]),
];

/** Returns whether backups contain a collection. The other collections are empty after a restore. */
export function isBackedUp(collection: string): boolean {
  return !omitted.includes(collection);
}

/** Returns every collection of the registry, for code that does not depend on the types of the documents. */
export function everyCollection(database: Db): Collection<Document>[] {
  return Object.values(collectionsOf(database)).map(({ collectionName }) => database.collection(collectionName));
}
