import { storeHeader } from "#shared/rpc/scope-metadata.ts";

/** Returns the options of a Connect call that concerns a store. @param store its id or its domain */
export function inStore(store: string): { readonly headers: Readonly<Record<string, string>> } {
  return { headers: { [storeHeader]: store } };
}
