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

/** Encodes and decodes list cursors (INTERFACE.md §2.6, §4.1). */
export interface CursorCodec {
  /** @param positionMs `updatedAt` of the last certificate on the page, in milliseconds since the Unix epoch */
  encode(positionMs: number, scope: CursorScope): string;
  /**
   * @returns the position in milliseconds since the Unix epoch
   * @throws ServiceError bad_request naming `cursor`; the message is the same for every reason, so that it does not help forgers
   */
  decode(text: string, scope: CursorScope): number;
}

const version = 1;
const positionBytes = 8;
const tagBytes = 16;
const cursorBytes = 1 + positionBytes + tagBytes;

/**
 * Creates the codec. A cursor is base64url without padding of: version (1 byte), position in milliseconds (8 bytes, big
 * endian, signed), and the first 16 bytes of the HMAC-SHA256 over both and the scope. Cursors are not stored.
 *
 * @param keys the first one signs and all verify, so that keys can be rotated while cursors are in use
 */
export function createCursorCodec(keys: Keys): CursorCodec {
  return {
    encode(positionMs, scope) {
      const head = Buffer.alloc(1 + positionBytes);
      head.writeUInt8(version);
      head.writeBigInt64BE(BigInt(positionMs), 1);
      return Buffer.concat([head, tagOf(keys[0], head, scope)]).toString("base64url");
    },
    decode(text, scope) {
      const bytes = Buffer.from(text, "base64url");
      // The decoder ignores foreign characters, padding and unused bits: accept only the canonical encoding.
      if (bytes.byteLength !== cursorBytes || bytes.toString("base64url") !== text) throw invalidCursor();
      const head = bytes.subarray(0, 1 + positionBytes);
      const tag = bytes.subarray(1 + positionBytes);
      const isAuthentic = keys.some((key) => timingSafeEqual(tagOf(key, head, scope), tag));
      if (head.readUInt8() !== version || !isAuthentic) throw invalidCursor();
      return Number(head.readBigInt64BE(1));
    },
  };
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
