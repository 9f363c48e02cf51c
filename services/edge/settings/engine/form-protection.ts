import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Keys } from "#shared/keys/key-files.ts";

/**
 * Protects forms against requests that other sites forge (CSRF): a form contains a token that is derived from the
 * session's token. Every replica accepts the forms that other replicas serve.
 */
export class FormProtection {
  readonly #keys: readonly [Buffer, ...Buffer[]];

  /** @param keys the first key creates tokens; tokens created with any of the keys are accepted */
  constructor(keys: Keys) {
    this.#keys = keysFor("form", keys);
  }

  /** Returns the token of the forms in a session. */
  tokenOf(sessionToken: string): string {
    return sign(this.#keys[0], sessionToken);
  }

  /** Returns whether a form with this token was served in the session. */
  accepts(sessionToken: string, token: string): boolean {
    return this.#keys.some((key) => isEqual(sign(key, sessionToken), token));
  }
}

/** Derives keys from the master keys, which also protect cursors. Each derived key has only one purpose. */
export function keysFor(purpose: "form" | "kept form", [first, ...others]: Keys): readonly [Buffer, ...Buffer[]] {
  const derive = (key: Uint8Array) =>
    Buffer.from(hkdfSync("sha256", key, "", `certificate registry: settings ${purpose}`, 32));
  return [derive(first), ...others.map(derive)];
}

function sign(key: Buffer, sessionToken: string): string {
  return createHmac("sha256", key).update(sessionToken).digest("base64url");
}

function isEqual(expected: string, actual: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(actual)];
  return one.length === other.length && timingSafeEqual(one, other);
}
