import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { Keys } from "#shared/keys/key-files.ts";
import { randomBytesOf } from "./random-bytes.ts";

const version = 2;
const cipher = "aes-256-gcm";
const keyIdBytes = 8;
const saltBytes = 16;
const headBytes = 1 + keyIdBytes + saltBytes;
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const purpose = `certificate-registry cursor v${version}`;

interface MasterKey {
  /** Identifies the key and reveals nothing about it. */
  readonly id: Buffer;
  /** A KeyObject, because HKDF is faster with it than with raw bytes. */
  readonly key: KeyObject;
}

/**
 * Encrypts and authenticates cursors with AES-256-GCM. HKDF-SHA256 (RFC 5869) derives a key and a nonce for each cursor
 * from a master key and a random salt, so that a master key may encrypt any number of cursors.
 *
 * A sealed cursor consists of a version (1 byte), the id of the master key (8 bytes), the salt (16 bytes), the
 * ciphertext and the tag (16 bytes). The tag authenticates everything before it.
 */
export class CursorCipher {
  readonly #newest: MasterKey;
  readonly #byId: ReadonlyMap<string, MasterKey>;

  /** @param keys the first key encrypts, every key decrypts, so that keys can be replaced while cursors are in use */
  constructor(keys: Keys) {
    this.#newest = masterKeyOf(keys[0]);
    this.#byId = new Map(keys.map(masterKeyOf).map((key) => [key.id.toString("hex"), key]));
  }

  seal(content: Buffer): Buffer {
    const head = Buffer.concat([Buffer.of(version), this.#newest.id, randomBytesOf(saltBytes)]);
    const { key, nonce } = cursorKeyOf(this.#newest, head);
    const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
    sealing.setAAD(head);
    return Buffer.concat([head, sealing.update(content), sealing.final(), sealing.getAuthTag()]);
  }

  /**
   * Decrypts a sealed cursor.
   *
   * @returns undefined if the cursor was altered, has another version, or was sealed with a key that is not configured
   */
  open(sealed: Buffer): Buffer | undefined {
    if (sealed.length < headBytes + tagBytes || sealed.readUInt8() !== version) return undefined;
    const head = sealed.subarray(0, headBytes);
    const master = this.#byId.get(head.toString("hex", 1, 1 + keyIdBytes));
    if (master === undefined) return undefined;
    const { key, nonce } = cursorKeyOf(master, head);
    const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
    opening.setAAD(head);
    opening.setAuthTag(sealed.subarray(-tagBytes));
    const content = opening.update(sealed.subarray(headBytes, -tagBytes));
    try {
      return Buffer.concat([content, opening.final()]);
    } catch {
      // The tag does not match.
      return undefined;
    }
  }
}

function masterKeyOf(bytes: Uint8Array): MasterKey {
  const key = createSecretKey(bytes);
  return { id: derive(key, Buffer.alloc(0), "key id", keyIdBytes), key };
}

function cursorKeyOf(master: MasterKey, head: Buffer): { key: KeyObject; nonce: Buffer } {
  const derived = derive(master.key, head.subarray(-saltBytes), "key and nonce", keyBytes + nonceBytes);
  // Node needs 10 µs longer to check a key that is not a KeyObject.
  return { key: createSecretKey(derived.subarray(0, keyBytes)), nonce: derived.subarray(keyBytes) };
}

function derive(key: KeyObject, salt: Buffer, use: string, lengthBytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, `${purpose} ${use}`, lengthBytes));
}
