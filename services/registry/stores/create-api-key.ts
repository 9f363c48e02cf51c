import { badRequest } from "#shared/errors/service-error.ts";
import { generateApiKey, hashApiKey } from "#shared/keys/api-key.ts";
import { newId } from "../certificates/identifiers.ts";
import { textProblem } from "../certificates/issue-item.ts";
import type { StoreDirectory } from "./store-directory.ts";

/** A key that was just made. */
export interface CreatedApiKey {
  /** For revoking it. */
  readonly keyId: string;
  /** The key itself, which is stored nowhere. */
  readonly apiKey: string;
}

/**
 * Creates an API key (interface specification §5).
 *
 * @throws ServiceError `bad_request` naming `label`
 */
export async function createApiKey(
  stores: StoreDirectory,
  storeId: string,
  label: string,
): Promise<CreatedApiKey> {
  const problem = textProblem({ value: label, lengthMin: 1, lengthMax: 100 });
  if (problem !== undefined) throw badRequest("label", problem);
  const apiKey = generateApiKey();
  const keyId = newId("key");
  await stores.addApiKey(storeId, { id: keyId, label, hash: hashApiKey(apiKey) });
  return { keyId, apiKey };
}
