import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import { apiKeyPrefix, generateApiKey, graceDaysMax, hashApiKey } from "#shared/keys/api-key.ts";
import { reason } from "#shared/reasons/reason.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { dayMs } from "#shared/time/day.ts";
import { newId } from "../values/identifiers.ts";
import { notFound } from "../values/not-found.ts";
import { checkText } from "../values/text-rules.ts";
import type { ApiKeys, NewApiKey } from "./api-keys.ts";
import type { ChangeOrigin, StoreChange } from "./store-history.ts";

/** A newly created API key. */
export interface CreatedApiKey {
  /** Identifies the key when it is rolled or revoked. */
  readonly keyId: string;
  /** The key itself; only its hash and its first characters are stored. */
  readonly apiKey: string;
}

/** A request to create a key. */
interface CreateApiKeyInput extends ChangeOrigin {
  readonly label: string;
}

// The visible characters distinguish 14 million keys; the other 28 random characters (166 bits) stay secret.
const visibleLength = apiKeyPrefix.length + 4;
const maxGraceMs = graceDaysMax * dayMs;

/**
 * Creates an API key (INTERFACE.md §5).
 *
 * @throws ServiceError `bad_request` naming `label`; otherwise as {@link ApiKeys.add}
 */
export async function createApiKey(
  keys: ApiKeys,
  { storeId, label, actor, session }: CreateApiKeyInput,
): Promise<CreatedApiKey> {
  checkLabel(label);
  const { created, stored } = newApiKey(label);
  await keys.add(storeId, stored, { action: "key.created", actor, session, details: { keyId: stored.id } });
  return created;
}

/**
 * Changes the label of an API key.
 *
 * @throws ServiceError `bad_request` naming `label`; otherwise as {@link ApiKeys.rename}
 */
export async function renameApiKey(
  keys: ApiKeys,
  { storeId, keyId, label, actor, session }: CreateApiKeyInput & { readonly keyId: string },
): Promise<void> {
  checkLabel(label);
  await keys.rename(storeId, keyId, label, { action: "key.renamed", actor, session, details: { keyId } });
}

/** A request to roll a key. */
interface RollApiKeyInput extends ChangeOrigin {
  /** Id of the old key. */
  readonly keyId: string;
  /** How long the old key keeps working, up to 30 days. A request that omits it (undefined) is refused. */
  readonly graceMs: number | undefined;
  /** Label of the new key; if empty, the old key's label is used. */
  readonly label: string;
}

/** The new key and the expiry of the old one. */
interface RolledApiKey extends CreatedApiKey {
  /** When the old key stops working; null if it has already stopped. */
  readonly oldKeyValidUntil: Date | null;
}

/**
 * Rolls an API key: creates a new one and keeps the old one valid for a grace period. A rolled key cannot be rolled
 * again, so that a retry after a lost response neither creates a second new key nor extends the old key's grace period.
 *
 * @throws ServiceError `bad_request` naming the field, `not_found`, `failed_precondition`, `conflict`, `unavailable`
 */
export async function rollApiKey(keys: ApiKeys, input: RollApiKeyInput): Promise<RolledApiKey> {
  const { storeId, keyId, graceMs, label, actor, session } = input;
  if (graceMs === undefined) throw badRequest("grace_period", "is missing");
  if (graceMs < 0 || graceMs > maxGraceMs) throw badRequest("grace_period", `must be 0 to ${graceDaysMax} days`);
  if (label !== "") checkLabel(label);
  const old = (await keys.list(storeId)).find(({ id }) => id === keyId);
  if (old === undefined) throw notFound("API key");
  if (old.validUntil !== null) throw new ServiceError("failed_precondition", reason("key_already_rolled"));
  const { created, stored } = newApiKey(label === "" ? old.label : label);
  const replacement = { oldKeyId: keyId, key: stored, graceMs };
  const details = { keyId, newKeyId: stored.id, graceSeconds: String(graceMs / 1_000) };
  const change: StoreChange = { action: "key.rolled", actor, session, details };
  const oldKeyValidUntil = await keys.replace(storeId, replacement, change);
  return { ...created, oldKeyValidUntil };
}

function newApiKey(label: string): { readonly created: CreatedApiKey; readonly stored: NewApiKey } {
  const apiKey = generateApiKey();
  const id = newId("key");
  const stored = { id, label, prefix: apiKey.slice(0, visibleLength), hash: hashApiKey(apiKey) };
  return { created: { keyId: id, apiKey }, stored };
}

function checkLabel(label: string): void {
  checkText("label", label, textLimits.keyLabel);
}
