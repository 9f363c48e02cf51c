import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Keys } from "#shared/keys/key-files.ts";
import { randomBytesOf } from "#shared/keys/random-bytes.ts";

const version = 3;
const cipher = "aes-256-gcm";
const keyIdBytes = 8;
const saltBytes = 16;
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + keyIdBytes + saltBytes + nonceBytes;

// Far fewer than the 2^32 messages that a key may encrypt with random nonces (NIST SP 800-38D, section 8.3).
const tokensPerSalt = 2 ** 28;
// An edge rarely chooses more than one salt per start, so this is enough for the tokens that clients still use.
const rememberedKeysMax = 1_000;

interface MasterKey {
  /** Identifies the key and reveals nothing about it. */
  readonly id: Buffer;
  /** A KeyObject, because HKDF is faster with it than with raw bytes. */
  readonly key: KeyObject;
}

interface SealingKey {
  /** The version, the id of the master key and the salt. */
  readonly prefix: Buffer;
  readonly key: KeyObject;
  /** Number of tokens that the key may still encrypt. */
  left: number;
}

/**
 * Encrypts and authenticates what clients keep for the edge, such as cursors, with AES-256-GCM. HKDF-SHA256 (RFC 5869)
 * derives the key from a master key and a random salt. Each instance chooses a salt when it is created, and again after
 * 2^28 tokens, so that a master key may encrypt any number of tokens.
 *
 * A sealed token consists of a version (1 byte), the id of the master key (8 bytes), the salt (16 bytes), a random
 * nonce (12 bytes), the ciphertext and the tag (16 bytes). The tag authenticates everything before it.
 */
export class TokenCipher {
  readonly #newest: MasterKey;
  readonly #byId: ReadonlyMap<string, MasterKey>;
  /** Derived keys, by the id of the master key and the salt. */
  readonly #derived = new LRUCache<string, KeyObject>({ max: rememberedKeysMax });
  #sealing: SealingKey;

  /** @param keys the first key encrypts, every key decrypts, so that keys can be replaced while tokens are in use */
  constructor(keys: Keys) {
    this.#newest = masterKeyOf(keys[0]);
    this.#byId = new Map(keys.map(masterKeyOf).map((key) => [key.id.toString("hex"), key]));
    this.#sealing = sealingKeyOf(this.#newest);
  }

  seal(content: Buffer): Buffer {
    if (this.#sealing.left === 0) this.#sealing = sealingKeyOf(this.#newest);
    this.#sealing.left--;
    const nonce = randomBytesOf(nonceBytes);
    const head = Buffer.concat([this.#sealing.prefix, nonce]);
    const sealing = createCipheriv(cipher, this.#sealing.key, nonce, { authTagLength: tagBytes });
    sealing.setAAD(head);
    return Buffer.concat([head, sealing.update(content), sealing.final(), sealing.getAuthTag()]);
  }

  /**
   * Decrypts a sealed token.
   *
   * @returns undefined if the token was altered, has an unknown version, or was sealed with a key that is not
   * configured
   */
  open(sealed: Buffer): Buffer | undefined {
    if (sealed[0] !== version || sealed.length < headBytes + tagBytes) return undefined;
    const head = sealed.subarray(0, headBytes);
    const keyId = head.toString("hex", 1, 1 + keyIdBytes);
    const master = this.#byId.get(keyId);
    if (master === undefined) return undefined;
    const salt = head.subarray(1 + keyIdBytes, 1 + keyIdBytes + saltBytes);
    const name = `${keyId}${salt.toString("hex")}`;
    const key = this.#derived.get(name) ?? tokenKeyOf(master, salt);
    const opening = createDecipheriv(cipher, key, head.subarray(-nonceBytes), { authTagLength: tagBytes });
    opening.setAAD(head);
    opening.setAuthTag(sealed.subarray(-tagBytes));
    const content = opening.update(sealed.subarray(headBytes, -tagBytes));
    try {
      opening.final();
    } catch {
      // The tag does not match.
      return undefined;
    }
    // Cached only now, so that forged salts do not fill the cache.
    this.#derived.set(name, key);
    return content;
  }
}

function masterKeyOf(bytes: Uint8Array): MasterKey {
  const key = createSecretKey(bytes);
  return { id: derive(key, Buffer.alloc(0), "v2 key id", keyIdBytes), key };
}

function sealingKeyOf(master: MasterKey): SealingKey {
  const salt = randomBytes(saltBytes);
  const prefix = Buffer.concat([Buffer.of(version), master.id, salt]);
  return { prefix, key: tokenKeyOf(master, salt), left: tokensPerSalt };
}

function tokenKeyOf(master: MasterKey, salt: Buffer): KeyObject {
  return createSecretKey(derive(master.key, salt, "v3 key", keyBytes));
}

// The names of the uses contain the versions of tokens that introduced them.
function derive(key: KeyObject, salt: Buffer, use: string, lengthBytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, `certificate-registry cursor ${use}`, lengthBytes));
}
