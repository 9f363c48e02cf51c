import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import type { ApiKeys } from "./api-keys.ts";
import { type CreatedApiKey, checkLabel, newApiKey } from "./create-api-key.ts";

const graceMaxMs = 30 * 86_400_000;

/** How a key is to be rolled. */
export interface RollApiKeyInput {
  readonly storeId: string;
  /** The old key. */
  readonly keyId: string;
  /** How long the old key goes on working, up to 30 days; undefined where the caller did not say. */
  readonly graceMs: number | undefined;
  /** What the new key is for; empty: what the old one is for. */
  readonly label: string;
}

/** The new key, and what becomes of the old one. */
export interface RolledApiKey extends CreatedApiKey {
  /** When the old key stops working; null where it has stopped. */
  readonly oldKeyValidUntil: Date | null;
}

/**
 * Replaces an API key by a new one, so that its holders have time to change over. A key that was rolled is not rolled
 * again: whoever repeats a call whose answer was lost must not leave a second new key behind, or change the old one's end.
 *
 * @throws ServiceError `bad_request` naming the field, `not_found`, `failed_precondition`, `conflict`
 */
export async function rollApiKey(keys: ApiKeys, input: RollApiKeyInput): Promise<RolledApiKey> {
  const { storeId, keyId, graceMs, label } = input;
  if (graceMs === undefined) throw badRequest("grace_period", "is missing");
  if (graceMs < 0 || graceMs > graceMaxMs) throw badRequest("grace_period", "is not 0 to 30 days");
  if (label !== "") checkLabel(label);
  const old = (await keys.list(storeId)).find(({ id }) => id === keyId);
  if (old === undefined) throw new ServiceError("not_found", "The store has no such API key.");
  if (old.validUntil !== null)
    throw new ServiceError(
      "failed_precondition",
      "The key was rolled already. Roll the key that replaced it.",
    );
  const { created, stored } = newApiKey(label === "" ? old.label : label);
  const replacement = { oldKeyId: keyId, key: stored, graceMs };
  return { ...created, oldKeyValidUntil: await keys.replace(storeId, replacement) };
}
