import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import { apiKeyNotFound } from "../values/not-found.ts";
import type { ApiKeys } from "./api-keys.ts";
import { type CreatedApiKey, checkLabel, newApiKey } from "./create-api-key.ts";

const maxGraceMs = 30 * 86_400_000;

/** A request to roll a key. */
export interface RollApiKeyInput {
  readonly storeId: string;
  /** The old key. */
  readonly keyId: string;
  /** How long the old key keeps working, up to 30 days; undefined: missing in the request. */
  readonly graceMs: number | undefined;
  /** Label of the new key; empty: the label of the old one. */
  readonly label: string;
}

/** The new key, and the end of the old one. */
export interface RolledApiKey extends CreatedApiKey {
  /** When the old key stops working; null when it already has. */
  readonly oldKeyValidUntil: Date | null;
}

/**
 * Rolls an API key: creates a new one and keeps the old one valid for a grace period. A rolled key cannot be rolled again, so
 * that a retry after a lost answer neither creates a second new key nor moves the old key's end.
 *
 * @throws ServiceError `bad_request` naming the field, `not_found`, `failed_precondition`, `conflict`
 */
export async function rollApiKey(keys: ApiKeys, input: RollApiKeyInput): Promise<RolledApiKey> {
  const { storeId, keyId, graceMs, label } = input;
  if (graceMs === undefined) throw badRequest("grace_period", "is missing");
  if (graceMs < 0 || graceMs > maxGraceMs) throw badRequest("grace_period", "must be 0 to 30 days");
  if (label !== "") checkLabel(label);
  const old = (await keys.list(storeId)).find(({ id }) => id === keyId);
  if (old === undefined) throw apiKeyNotFound();
  if (old.validUntil !== null)
    throw new ServiceError("failed_precondition", "The key was already rolled. Roll the key that replaced it.");
  const { created, stored } = newApiKey(label === "" ? old.label : label);
  const replacement = { oldKeyId: keyId, key: stored, graceMs };
  return { ...created, oldKeyValidUntil: await keys.replace(storeId, replacement) };
}
