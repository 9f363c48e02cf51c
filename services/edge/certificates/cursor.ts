import { createHmac, timingSafeEqual } from "node:crypto";
import { emailKey } from "#shared/email/email-address.ts";
import { badRequest, type ServiceError } from "#shared/errors/service-error.ts";
import type { Keys } from "#shared/keys/key-files.ts";
import type { ListFilters } from "./list-query.ts";

/** What a cursor is bound to: it means nothing in another store or with other filters. */
export interface CursorScope {
  readonly storeId: string;
  readonly filters: ListFilters;
}

/** Makes and reads the list's cursors (INTERFACE.md §2.6, §4.1). */
export interface CursorCodec {
  /** @param positionMs the time of the last change that the page shows, in milliseconds since the Unix epoch */
  encode(positionMs: number, scope: CursorScope): string;
  /**
   * @returns the position in milliseconds since the Unix epoch
   * @throws ServiceError bad_request naming `cursor`, the same for every reason: which one it was helps only forgers
   */
  decode(text: string, scope: CursorScope): number;
}

const version = 1;
const positionBytes = 8;
const tagBytes = 16;
const cursorBytes = 1 + positionBytes + tagBytes;

/**
 * A cursor is base64url without padding of: version (1 byte), position in milliseconds (8 bytes, big endian, signed),
 * and the first 16 bytes of the HMAC-SHA256 over both and the scope. Nothing of it is stored.
 *
 * @param keys the first one signs, all of them verify, so that a key can be replaced while cursors are in use
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
      // Decoders pass over foreign characters, padding and stray bits: only the one way to write the bytes is valid.
      if (bytes.byteLength !== cursorBytes || bytes.toString("base64url") !== text) throw notOurs();
      const head = bytes.subarray(0, 1 + positionBytes);
      const tag = bytes.subarray(1 + positionBytes);
      const signed = keys.some((key) => timingSafeEqual(tagOf(key, head, scope), tag));
      if (head.readUInt8() !== version || !signed) throw notOurs();
      return Number(head.readBigInt64BE(1));
    },
  };
}

function tagOf(key: Uint8Array, head: Buffer, scope: CursorScope): Buffer {
  const digest = createHmac("sha256", key).update(head).update(canonicalScope(scope)).digest();
  return digest.subarray(0, tagBytes);
}

// JSON of a list: no two scopes have the same text. Spellings of one filter (the e-mail address's case, an offset, leading
// zeros) have.
function canonicalScope({ storeId, filters }: CursorScope): string {
  const { email, order, serial, status, updatedSinceMs } = filters;
  const address = email === undefined ? undefined : emailKey(email);
  const parts = [storeId, address, order?.kind, order?.value, serial, status, updatedSinceMs];
  return JSON.stringify(parts.map((part) => part ?? null));
}

function notOurs(): ServiceError {
  return badRequest(
    "cursor",
    "is not one that this list gave for these parameters. Send next_cursor unchanged and with the same parameters, or start again without it.",
  );
}
