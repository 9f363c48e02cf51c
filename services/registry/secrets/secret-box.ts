import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import type { Keys } from "#shared/keys/key-files.ts";

/** Encrypts secrets for storage ("seals") and decrypts them ("opens"). A sealed secret is bound to its store. */
export interface SecretBox {
  /** @returns `sealed-v1.<key id>.<base64url of nonce, ciphertext and tag>` */
  seal(secret: string, storeId: string): string;
  /**
   * Never accepts a plaintext secret: anyone with write access to the database could have stored it, even without the
   * key.
   *
   * @throws UnreadableSecret for a secret that is not encrypted, was altered, or was sealed for another store or with
   * an unknown key
   */
  open(stored: string, storeId: string): string;
  /** Returns whether a stored secret is sealed with the newest key. */
  isNewest(stored: string): boolean;
}

/** Thrown when a stored secret cannot be opened. The message reveals nothing about the secret. */
export class UnreadableSecret extends Error {
  /** @param problem completes "The stored secret …" */
  constructor(problem: string, cause?: unknown) {
    super(`The stored secret ${problem}`, { cause });
    this.name = "UnreadableSecret";
  }
}

/** Returns what `open` returns; `unreadable` if a secret cannot be opened. */
export function unlessUnreadable<Opened>(open: () => Opened): Opened | "unreadable" {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnreadableSecret) return "unreadable";
    throw error;
  }
}

const form = "sealed-v1";
const cipher = "aes-256-gcm";
// 96 bits, as NIST SP 800-38D recommends; with random nonces, a key may seal at most 2^32 times.
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Creates a box that uses AES-256-GCM.
 *
 * @param keys the first key seals and every key opens, so that keys can be rotated without downtime
 */
export function createSecretBox(keys: Keys): SecretBox {
  const newest = sealingKeyOf(keys[0]);
  const byId = new Map(keys.map(sealingKeyOf).map((key) => [key.id, key]));
  return {
    seal(secret, storeId) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, newest.key, nonce, { authTagLength: tagBytes });
      sealing.setAAD(additionalData(newest.id, storeId));
      const ciphertext = Buffer.concat([sealing.update(secret, "utf8"), sealing.final()]);
      const sealed = Buffer.concat([nonce, ciphertext, sealing.getAuthTag()]);
      return `${form}.${newest.id}.${sealed.toString("base64url")}`;
    },

    open(stored, storeId) {
      const [, keyId = "", text = ""] = sealedShape.exec(stored) ?? [];
      if (keyId === "")
        throw new UnreadableSecret("is not encrypted, or has a format that this version does not support");
      const key = byId.get(keyId);
      if (key === undefined) throw new UnreadableSecret(`is sealed with the key ${keyId}, which is not configured`);
      return unseal(Buffer.from(text, "base64url"), key, storeId);
    },

    isNewest(stored) {
      return stored.startsWith(`${form}.${newest.id}.`);
    },
  };
}

const sealedShape = new RegExp(`^${form}\\.([0-9a-f]{16})\\.([\\w-]+)$`);

interface SealingKey {
  /** Identifies the key and reveals nothing about it. */
  readonly id: string;
  readonly key: KeyObject;
}

// A key file may contain text and be longer than a key, so HKDF (RFC 5869) derives the key and, independently, its id.
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
    opening.setAAD(additionalData(sealing.id, storeId));
    opening.setAuthTag(sealed.subarray(-tagBytes));
    const secret = opening.update(sealed.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([secret, opening.final()]).toString("utf8");
  } catch (cause) {
    throw new UnreadableSecret("was altered, or was sealed for another store", cause);
  }
}

function additionalData(keyId: string, storeId: string): Buffer {
  return Buffer.from(`${form}.${keyId}.webhook-secret.${storeId}`);
}
