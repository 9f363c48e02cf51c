import type { ApiKey } from "#gen/registry/v1/store_admin_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { StoreCalls } from "../../registry-client/operator-client.ts";

/** Finds a valid API key of a store. @throws ServiceError `not_found` */
export async function findApiKey(store: StoreCalls, keyId: string): Promise<ApiKey> {
  const { keys } = await store.stores.listApiKeys({});
  const found = keys.find((key) => key.keyId === keyId);
  if (found === undefined) {
    const message = "The store has no valid API key with this id. To list the keys, run 'certctl key list'.";
    throw new ServiceError("not_found", message);
  }
  return found;
}
