import { createHmac, timingSafeEqual } from "node:crypto";
import { emailKey } from "#shared/email/email-address.ts";
import { badRequest, type ServiceError } from "#shared/errors/service-error.ts";
import type { Keys } from "#shared/keys/key-files.ts";
import type { ListFilters } from "./list-query.ts";

/** The store and the filters for which a cursor was issued. A cursor is valid only with the same scope. */
export interface CursorScope {
  readonly storeId: string;
  readonly filters: ListFilters;
}

const version = 1;
const headBytes = 9;
const tagBytes = 16;
// The range of a Date.
const timeMaxMs = 8.64e15;

/**
 * Encodes and decodes list cursors (INTERFACE.md §2.6, §4.1). A cursor is the unpadded base64url encoding of a version
 * (1 byte), a position in milliseconds since the Unix epoch (8 bytes, big-endian, signed), and the first 16 bytes of
 * the HMAC-SHA256 over the version, the position and the scope. Cursors are not stored.
 */
export class CursorCodec {
  readonly #keys: Keys;

  /** @param keys the first key signs, every key verifies, so that keys can be rotated while cursors are in use */
  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** @param positionMs `updatedAt` of the last certificate on the page, in milliseconds since the Unix epoch */
  encode(positionMs: number, scope: CursorScope): string {
    const head = Buffer.alloc(headBytes);
    head.writeUInt8(version);
    head.writeBigInt64BE(BigInt(positionMs), 1);
    return Buffer.concat([head, tagOf(this.#keys[0], head, scope)]).toString("base64url");
  }

  /**
   * Returns the position of an unverified cursor, in milliseconds since the Unix epoch. A page read at this position
   * must be discarded unless {@link decode} accepts the cursor.
   *
   * @throws ServiceError bad_request as {@link decode} does, if no scope can make the cursor valid
   */
  unverifiedPosition(text: string): number {
    const { positionMs } = parseCursor(text);
    if (Math.abs(positionMs) > timeMaxMs) throw invalidCursor();
    return positionMs;
  }

  /**
   * Verifies a cursor and returns its position in milliseconds since the Unix epoch.
   *
   * @throws ServiceError bad_request naming `cursor`; the message omits the reason, because it would help forgers
   */
  decode(text: string, scope: CursorScope): number {
    const { head, tag, positionMs } = parseCursor(text);
    if (!this.#keys.some((key) => timingSafeEqual(tagOf(key, head, scope), tag))) throw invalidCursor();
    return positionMs;
  }
}

function parseCursor(text: string) {
  const bytes = Buffer.from(text, "base64url");
  // Accepts only the canonical encoding: `Buffer.from` ignores invalid characters, padding and unused bits.
  if (bytes.byteLength !== headBytes + tagBytes || bytes.toString("base64url") !== text) throw invalidCursor();
  const head = bytes.subarray(0, headBytes);
  const positionMs = Number(head.readBigInt64BE(1));
  if (head.readUInt8() !== version) throw invalidCursor();
  return { head, tag: bytes.subarray(headBytes), positionMs };
}

function tagOf(key: Uint8Array, head: Buffer, scope: CursorScope): Buffer {
  const digest = createHmac("sha256", key).update(head).update(canonicalScope(scope)).digest();
  return digest.subarray(0, tagBytes);
}

// A JSON array, so that different scopes never produce the same text. Equivalent spellings of a filter (letter case of
// the e-mail address, time offset, leading zeros) do produce the same text.
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
