/**
 * Returns the `_id` of a document that belongs to something else, usually a store: the owner's id, a slash and an id
 * that is unique for that owner. Unambiguous because owners' ids contain no slash.
 */
export function compoundKey(ownerId: string, id: string | number): string {
  return `${ownerId}/${id}`;
}

/** Returns the owner's id in a key that {@link compoundKey} made. */
export function ownerIn(key: string): string {
  return key.slice(0, key.indexOf("/"));
}

/** Returns the id without its owner in a key that {@link compoundKey} made. */
export function idIn(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}

/** Returns the filter for all of an owner's documents whose keys {@link compoundKey} made. */
export function keysOf(ownerId: string) {
  // In the order of strings, "0" follows the slash.
  return { _id: { $gte: compoundKey(ownerId, ""), $lt: `${ownerId}0` } };
}
