import { z } from "zod";
import { badRequest, type ServiceError } from "#shared/errors/service-error.ts";
import type { Keys } from "#shared/keys/key-files.ts";
import { TokenCipher } from "../sealing/token-cipher.ts";
import { filterNames, filterValues, type ListFilters, parseFilters } from "./list-filters.ts";

/** A position in the results of a list query, together with the store and the filters of that query. */
export interface CursorContent {
  /** The store that was queried; a request with another store's key must be refused. */
  readonly storeId: string;
  /** `updatedAt` of the last certificate before the cursor, in milliseconds since the Unix epoch. */
  readonly positionMs: number;
  readonly filters: ListFilters;
  /** The epoch of the feed; see `X-Feed-Epoch` in INTERFACE.md §4.1. */
  readonly epoch: string;
}

// A Date is at most this far from the Unix epoch (ECMA-262).
const timeMaxMs = 8.64e15;

const contentSchema = z.tuple([
  z.string(),
  z.int().min(-timeMaxMs).max(timeMaxMs),
  z.partialRecord(z.enum(filterNames), z.string()),
  z.string(),
]);

/**
 * Encodes and decodes list cursors (INTERFACE.md §2.6, §4.1). A cursor is the unpadded base64url encoding of an
 * encrypted and authenticated {@link CursorContent}; see {@link TokenCipher}. A cursor never expires, but becomes
 * invalid when its encryption key is withdrawn or the service's data are restored from a backup. Cursors are not
 * stored.
 */
export class CursorCodec {
  readonly #cipher: TokenCipher;

  /** @param keys the first key encrypts, every key decrypts */
  constructor(keys: Keys) {
    this.#cipher = new TokenCipher(keys);
  }

  encode({ storeId, positionMs, filters, epoch }: CursorContent): string {
    const content = [storeId, positionMs, Object.fromEntries(filterValues(filters)), epoch];
    return this.#cipher.seal(Buffer.from(JSON.stringify(content))).toString("base64url");
  }

  /** @throws ServiceError bad_request naming `cursor`; the message omits the reason, because it would help forgers */
  decode(text: string): CursorContent {
    const sealed = Buffer.from(text, "base64url");
    // Accepts only the canonical encoding: `Buffer.from` ignores invalid characters, padding and unused bits.
    if (sealed.toString("base64url") !== text) throw invalidCursor();
    const content = this.#cipher.open(sealed);
    if (content === undefined) throw invalidCursor();
    return contentIn(content.toString());
  }
}

function contentIn(json: string): CursorContent {
  try {
    const [storeId, positionMs, values, epoch] = contentSchema.parse(JSON.parse(json));
    return { storeId, positionMs, filters: parseFilters(new Map(Object.entries(values))), epoch };
  } catch {
    // Authentic, but from a version of the edge whose cursors or filters differ.
    throw invalidCursor();
  }
}

/** The error for a cursor from before a restore: the client may have read changes that the restore undid. */
export function outdatedCursor(): ServiceError {
  return badRequest(
    "cursor",
    "is from before the service's data were restored from a backup. Read the list again from the first page, without cursor or updated_since.",
  );
}

/** The error for a cursor that was altered, belongs to another store, or was encrypted with a withdrawn key. */
export function invalidCursor(): ServiceError {
  return badRequest(
    "cursor",
    "is not valid. Send the next_cursor of the previous page unchanged and with a key of the same store, or omit cursor to start from the first page.",
  );
}
