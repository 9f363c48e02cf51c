import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(4_096);
let used = pool.length;

/**
 * Returns cryptographically random bytes, for ids, link tokens and nonces; each byte is used only once. The bytes are
 * copied from a pool in memory, because calling the random number generator for a few bytes takes far longer.
 *
 * @param length 1 to 4,096
 */
export function randomBytesOf(length: number): Buffer {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += length;
  return Buffer.from(pool.subarray(used - length, used));
}
