import { createHmac, timingSafeEqual } from "node:crypto";
import { emailKey } from "#shared/email/email-address.ts";
import { badRequest, type ServiceError } from "#shared/errors/service-error.ts";
import type { Keys } from "#shared/keys/key-files.ts";
import type { ListFilters } from "./list-query.ts";

/** The scope that a cursor is bound to: it is invalid for another store or other filters. */
export interface CursorScope {
  readonly storeId: string;
  readonly filters: ListFilters;
}

const version = 1;
const headBytes = 9;
const tagBytes = 16;

/**
 * Encodes and decodes list cursors (INTERFACE.md §2.6, §4.1). A cursor is base64url without padding of: version (1 byte),
 * position in milliseconds since the Unix epoch (8 bytes, big endian, signed), and the first 16 bytes of the HMAC-SHA256 over
 * both and the scope. Cursors are not stored.
 */
export class CursorCodec {
  readonly #keys: Keys;

  /** @param keys the first one signs and all verify, so that keys can be rotated while cursors are in use */
  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** @param positionMs `updatedAt` of the last certificate on the page */
  encode(positionMs: number, scope: CursorScope): string {
    const head = Buffer.alloc(headBytes);
    head.writeUInt8(version);
    head.writeBigInt64BE(BigInt(positionMs), 1);
    return Buffer.concat([head, tagOf(this.#keys[0], head, scope)]).toString("base64url");
  }

  /**
   * Returns the position.
   *
   * @throws ServiceError bad_request naming `cursor`; the message is the same for every reason, so that it does not help forgers
   */
  decode(text: string, scope: CursorScope): number {
    const bytes = Buffer.from(text, "base64url");
    // The decoder ignores foreign characters, padding and unused bits: accept only the canonical encoding.
    if (bytes.byteLength !== headBytes + tagBytes || bytes.toString("base64url") !== text) throw invalidCursor();
    const head = bytes.subarray(0, headBytes);
    const tag = bytes.subarray(headBytes);
    const isAuthentic = this.#keys.some((key) => timingSafeEqual(tagOf(key, head, scope), tag));
    if (head.readUInt8() !== version || !isAuthentic) throw invalidCursor();
    return Number(head.readBigInt64BE(1));
  }
}

function tagOf(key: Uint8Array, head: Buffer, scope: CursorScope): Buffer {
  const digest = createHmac("sha256", key).update(head).update(canonicalScope(scope)).digest();
  return digest.subarray(0, tagBytes);
}

// A JSON array, so that different scopes never have the same text. Equivalent spellings of a filter (letter case of the e-mail
// address, time offset, leading zeros) do.
function canonicalScope({ storeId, filters }: CursorScope): string {
  const { email, order, serial, status, updatedSinceMs } = filters;
  const address = email === undefined ? undefined : emailKey(email);
  const parts = [storeId, address, order?.kind, order?.value, serial, status, updatedSinceMs];
  return JSON.stringify(parts.map((part) => part ?? null));
}

function invalidCursor(): ServiceError {
  return badRequest(
    "cursor",
    "is not valid for this request. Send the next_cursor of the previous page unchanged and with the same filters, or omit cursor to start from the first page.",
  );
}
