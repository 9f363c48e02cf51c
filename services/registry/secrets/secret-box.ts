import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import type { Keys } from "#shared/keys/key-files.ts";
import { signingSecretPrefix } from "#shared/keys/signing-secret.ts";

/** Seals secrets for storage and opens what is stored. A sealed secret opens for the store alone that it was sealed for. */
export interface SecretBox {
  /** @returns `sealed-v1.<key id>.<base64url of nonce, ciphertext and tag>` */
  seal(secret: string, storeId: string): string;
  /** @throws UnreadableSecret for what was altered, moved from another store, or sealed with a key that is not here */
  open(stored: string, storeId: string): string;
  /** Whether a stored text is sealed at all, and with the key that seals now. */
  formOf(stored: string): StoredForm;
}

/** `plain`: as versions before encryption stored it; `older`: sealed, but not with the key that seals now. */
export type StoredForm = "plain" | "older" | "newest";

/** A stored secret that cannot be opened. The message says why, as the end of a sentence, and shows nothing of the secret. */
export class UnreadableSecret extends Error {
  constructor(problem: string, cause?: unknown) {
    super(`The stored secret ${problem}`, { cause });
    this.name = "UnreadableSecret";
  }
}

const form = "sealed-v1";
const cipher = "aes-256-gcm";
// NIST SP 800-38D: 96 bits; random ones are good for 2^32 seals with a key.
const nonceBytes = 12;
const tagBytes = 16;

/** @param keys the first one seals, all of them open, so that a key can be replaced while the service runs */
export function createSecretBox(keys: Keys): SecretBox {
  const newest = sealingKeyOf(keys[0]);
  const byId = new Map(keys.map(sealingKeyOf).map((key) => [key.id, key]));
  return {
    seal(secret, storeId) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, newest.key, nonce, { authTagLength: tagBytes });
      sealing.setAAD(boundTo(newest.id, storeId));
      const ciphertext = Buffer.concat([sealing.update(secret, "utf8"), sealing.final()]);
      const sealed = Buffer.concat([nonce, ciphertext, sealing.getAuthTag()]);
      return `${form}.${newest.id}.${sealed.toString("base64url")}`;
    },

    open(stored, storeId) {
      if (isPlain(stored)) return stored;
      const [, keyId = "", text = ""] = sealedShape.exec(stored) ?? [];
      if (keyId === "") throw new UnreadableSecret("has a form that this version does not know");
      const key = byId.get(keyId);
      if (key === undefined) throw new UnreadableSecret(`is sealed with the key ${keyId}, which is not here`);
      return unseal(Buffer.from(text, "base64url"), key, storeId);
    },

    formOf(stored) {
      if (isPlain(stored)) return "plain";
      return stored.startsWith(`${form}.${newest.id}.`) ? "newest" : "older";
    },
  };
}

const sealedShape = new RegExp(`^${form}\\.([0-9a-f]{16})\\.([\\w-]+)$`);

interface SealingKey {
  /** Says which key it is and nothing about it. */
  readonly id: string;
  readonly key: KeyObject;
}

// Files may be longer than a key and hold text: HKDF (RFC 5869) makes 256 bits of them, and the id apart from these.
function sealingKeyOf(file: Uint8Array): SealingKey {
  const derive = (purpose: string, lengthBytes: number) =>
    new Uint8Array(hkdfSync("sha256", file, "", `certificate-registry ${form} ${purpose}`, lengthBytes));
  const key = createSecretKey(derive("key", 32));
  return { id: Buffer.from(derive("key id", 8)).toString("hex"), key };
}

function unseal(sealed: Buffer, sealing: SealingKey, storeId: string): string {
  try {
    const opening = createDecipheriv(cipher, sealing.key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    opening.setAAD(boundTo(sealing.id, storeId));
    opening.setAuthTag(sealed.subarray(-tagBytes));
    const secret = opening.update(sealed.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([secret, opening.final()]).toString("utf8");
  } catch (cause) {
    throw new UnreadableSecret("was altered, or was sealed for another store", cause);
  }
}

function boundTo(keyId: string, storeId: string): Buffer {
  return Buffer.from(`${form}.${keyId}.webhook-secret.${storeId}`);
}

function isPlain(stored: string): boolean {
  return stored.startsWith(signingSecretPrefix);
}
