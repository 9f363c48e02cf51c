import type { ApiKey } from "#gen/registry/v1/store_admin_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { timestampText } from "../timestamp.ts";
import type { RegistryClient } from "./registry-client.ts";

/** Finds a valid API key of a store. @throws ServiceError `not_found` */
export async function findApiKey(client: RegistryClient, storeId: string, keyId: string): Promise<ApiKey> {
  const { keys } = await client.stores.listApiKeys({ storeId });
  const found = keys.find((key) => key.keyId === keyId);
  if (found === undefined) throw new ServiceError("not_found", "The store has no such API key.");
  return found;
}

/** Formats a key in one line: id, first characters, creation, last use, validity, label. */
export function apiKeyLine({ keyId, prefix, createdAt, lastUsedAt, validUntil, label }: ApiKey): string {
  const until = validUntil === undefined ? "valid" : `valid until ${timestampText(validUntil)}`;
  const times = [timestampText(createdAt, "-"), timestampText(lastUsedAt, "never used"), until];
  return [keyId, prefix === "" ? "-" : `${prefix}…`, ...times, label].join("  ");
}
