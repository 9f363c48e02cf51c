import { createCipheriv, createHmac } from "node:crypto";

/** Content types of TLS records (RFC 8446 §5.1). */
export const contentTypes = { handshake: 22, applicationData: 23 } as const;

// Node's server sends two session tickets after the handshake, each in a record of its own.
const recordsSentByServer = 2;

/**
 * Encrypts TLS 1.3 records (AES-GCM) with the traffic secret that Node's server logs, as if that server sent them.
 */
export class Tls13Records {
  readonly #hash: "sha256" | "sha384";
  readonly #cipher: "aes-128-gcm" | "aes-256-gcm";
  #secret: Buffer;
  #key: Buffer = Buffer.alloc(0);
  #iv: Buffer = Buffer.alloc(0);
  #sequence = recordsSentByServer;

  /** @param secret the secret that Node logs as `SERVER_TRAFFIC_SECRET_0` */
  constructor(secret: Buffer) {
    this.#secret = secret;
    this.#hash = secret.length === 48 ? "sha384" : "sha256";
    this.#cipher = secret.length === 48 ? "aes-256-gcm" : "aes-128-gcm";
    this.#deriveKey();
  }

  /** Encrypts one record (RFC 8446 §5.2). */
  record(type: number, content: Buffer): Buffer {
    const header = Buffer.from([23, 3, 3, 0, 0]);
    header.writeUInt16BE(content.length + 1 + 16, 3);
    const nonce = Buffer.from(this.#iv);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ this.#sequence++) >>> 0, 8);
    const cipher = createCipheriv(this.#cipher, this.#key, nonce).setAAD(header);
    const encrypted = cipher.update(Buffer.concat([content, Buffer.of(type)]));
    cipher.final();
    return Buffer.concat([header, encrypted, cipher.getAuthTag()]);
  }

  /** Encrypts a KeyUpdate message and changes the key (RFC 8446 §4.6.3). */
  keyUpdate({ isRequested }: { readonly isRequested: boolean }): Buffer {
    const record = this.record(contentTypes.handshake, Buffer.of(24, 0, 0, 1, isRequested ? 1 : 0));
    this.#secret = this.#expand("traffic upd", this.#secret.length);
    this.#sequence = 0;
    this.#deriveKey();
    return record;
  }

  #deriveKey(): void {
    this.#key = this.#expand("key", this.#hash === "sha384" ? 32 : 16);
    this.#iv = this.#expand("iv", 12);
  }

  /** HKDF-Expand-Label (RFC 8446 §7.1) for lengths up to the length of the hash. */
  #expand(label: string, length: number): Buffer {
    const name = Buffer.from(`tls13 ${label}`);
    const info = Buffer.concat([Buffer.of(0, length, name.length), name, Buffer.of(0, 1)]);
    return createHmac(this.#hash, this.#secret).update(info).digest().subarray(0, length);
  }
}
