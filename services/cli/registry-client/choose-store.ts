import { ServiceError } from "#shared/errors/service-error.ts";
import type { RegistryClient } from "./registry-client.ts";

/**
 * The id of the store that a command is about.
 *
 * @param selector a store's domain or id; undefined: the registry's only store
 * @throws ServiceError when there is no such store, or when none was named and there are several
 */
export async function chooseStore(client: RegistryClient, selector: string | undefined): Promise<string> {
  if (selector !== undefined) {
    const by = selector.startsWith("sto_")
      ? ({ case: "storeId", value: selector } as const)
      : ({ case: "shop", value: selector } as const);
    const { store } = await client.stores.getStore({ by });
    return store?.id ?? "";
  }
  const { stores } = await client.stores.listStores({ limit: 2 });
  const [only, another] = stores;
  if (only === undefined)
    throw new ServiceError("not_found", "The registry has no store yet: certctl store create");
  if (another !== undefined)
    throw new ServiceError("bad_request", "The registry has several stores: name one with --store <domain>");
  return only.id;
}
