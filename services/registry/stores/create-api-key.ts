import { apiKeyPrefix, generateApiKey, hashApiKey } from "#shared/keys/api-key.ts";
import { newId } from "../values/identifiers.ts";
import { checkText } from "../values/text-rules.ts";
import type { ApiKeys, NewApiKey } from "./api-keys.ts";

/** A new key. */
export interface CreatedApiKey {
  /** For rolling and revoking it. */
  readonly keyId: string;
  /** The key itself; only its hash is stored. */
  readonly apiKey: string;
}

// The visible characters distinguish 14 million keys; the other 28 (166 bits) stay secret.
const visibleLength = apiKeyPrefix.length + 4;

/**
 * Creates an API key (INTERFACE.md §5).
 *
 * @throws ServiceError `bad_request` naming `label`; otherwise as {@link ApiKeys.add}
 */
export async function createApiKey(keys: ApiKeys, storeId: string, label: string): Promise<CreatedApiKey> {
  checkLabel(label);
  const { created, stored } = newApiKey(label);
  await keys.add(storeId, stored);
  return created;
}

/** Generates a key: what the caller receives, and what is stored. */
export function newApiKey(label: string): { readonly created: CreatedApiKey; readonly stored: NewApiKey } {
  const apiKey = generateApiKey();
  const id = newId("key");
  const stored = { id, label, prefix: apiKey.slice(0, visibleLength), hash: hashApiKey(apiKey) };
  return { created: { keyId: id, apiKey }, stored };
}

/** @throws ServiceError `bad_request` naming `label` */
export function checkLabel(label: string): void {
  checkText("label", label, { min: 1, max: 100 });
}
