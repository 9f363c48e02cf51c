import { badRequest } from "#shared/errors/service-error.ts";
import { apiKeyPrefix, generateApiKey, hashApiKey } from "#shared/keys/api-key.ts";
import { newId } from "../certificates/identifiers.ts";
import { textProblem } from "../certificates/issue-item.ts";
import type { ApiKeys, NewApiKey } from "./api-keys.ts";

/** A key that was just made. */
export interface CreatedApiKey {
  /** For rolling and revoking it. */
  readonly keyId: string;
  /** The key itself, which is stored nowhere. */
  readonly apiKey: string;
}

// 14 million beginnings tell a store's keys apart, and 28 characters (166 bits) stay secret.
const shownLength = apiKeyPrefix.length + 4;

/**
 * Creates an API key (INTERFACE.md §5).
 *
 * @throws ServiceError `bad_request` naming `label`; as {@link ApiKeys.add}
 */
export async function createApiKey(keys: ApiKeys, storeId: string, label: string): Promise<CreatedApiKey> {
  checkLabel(label);
  const { created, stored } = newApiKey(label);
  await keys.add(storeId, stored);
  return created;
}

/** A new key: what its holder gets, and what is stored. */
export function newApiKey(label: string): { readonly created: CreatedApiKey; readonly stored: NewApiKey } {
  const apiKey = generateApiKey();
  const id = newId("key");
  const stored = { id, label, prefix: apiKey.slice(0, shownLength), hash: hashApiKey(apiKey) };
  return { created: { keyId: id, apiKey }, stored };
}

/** @throws ServiceError `bad_request` naming `label` */
export function checkLabel(label: string): void {
  const problem = textProblem({ value: label, lengthMin: 1, lengthMax: 100 });
  if (problem !== undefined) throw badRequest("label", problem);
}
