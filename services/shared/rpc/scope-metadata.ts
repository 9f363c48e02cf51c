/** The metadata (HTTP header) in which operators name the store of a call, by its id or its domain. */
export const storeHeader = "registry-store";

/** The metadata with the token of a merchant's session, from which the registry derives the store of a call. */
export const sessionHeader = "x-session";
