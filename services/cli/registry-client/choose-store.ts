import type { Store } from "#gen/registry/v1/store_admin_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { UsageError } from "../output/usage-error.ts";
import type { OperatorClient } from "./operator-client.ts";

/**
 * Returns the store that a command acts on.
 *
 * @param selector domain or id; undefined selects the registry's only store
 * @throws ServiceError `not_found` if the registry has no stores; UsageError without a selector if it has several
 * @throws ConnectError `not_found` if the selected store does not exist
 */
export async function chooseStore(client: OperatorClient, selector: string | undefined): Promise<Store> {
  if (selector !== undefined) {
    const { store } = await client.inStore(selector).stores.getStore({});
    if (store === undefined) throw new ServiceError("internal", "The registry returned no store.");
    return store;
  }
  const { stores } = await client.stores.listStores({ limit: 2 });
  const [only, another] = stores;
  if (only === undefined)
    throw new ServiceError("not_found", "The registry has no stores. Create one with 'certctl store create <domain>'.");
  if (another !== undefined)
    throw new UsageError("The registry has several stores. Select one with --store <domain or id>.");
  return only;
}

/** Returns the store with this domain, or undefined. @throws ServiceError for any error other than `not_found` */
export async function findStoreByDomain(client: OperatorClient, shop: string): Promise<Store | undefined> {
  try {
    return (await client.inStore(shop).stores.getStore({})).store;
  } catch (cause) {
    const error = toServiceError(cause);
    if (error.code === "not_found") return undefined;
    throw error;
  }
}
