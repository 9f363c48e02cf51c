import { createHmac, hkdfSync } from "node:crypto";
import { isSame } from "#shared/keys/is-same.ts";
import type { Keys } from "#shared/keys/key-files.ts";

type Purpose = "report form" | "settings form" | "settings kept form";

/** Derives keys from the master keys, which also protect cursors. Each derived key has only one purpose. */
export function keysFor(purpose: Purpose, [first, ...others]: Keys): readonly [Buffer, ...Buffer[]] {
  const derive = (key: Uint8Array) => Buffer.from(hkdfSync("sha256", key, "", `certificate registry: ${purpose}`, 32));
  return [derive(first), ...others.map(derive)];
}

/** Signs texts for one purpose (HMAC-SHA256 in base64url). Every replica accepts the signatures of the others. */
export class TextSigner {
  readonly #keys: readonly [Buffer, ...Buffer[]];

  /** @param keys the first key signs; signatures by any of the keys are accepted */
  constructor(purpose: Purpose, keys: Keys) {
    this.#keys = keysFor(purpose, keys);
  }

  sign(text: string): string {
    return signatureOf(this.#keys[0], text);
  }

  accepts(text: string, signature: string): boolean {
    return this.#keys.some((key) => isSame(signatureOf(key, text), signature));
  }
}

function signatureOf(key: Buffer, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}
