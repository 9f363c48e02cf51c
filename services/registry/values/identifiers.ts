import { randomFillSync } from "node:crypto";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const length = 24;

// Random bytes are drawn in blocks, because a system call per id would be slow. Each byte is used only once.
const pool = Buffer.alloc(length * 128);
let used = pool.length;

/** Returns a new random id: the prefix, `_` and 24 characters (120 bits), safe in URLs, subjects and file names. */
export function newId(prefix: "crt" | "evt" | "tst" | "agn" | "sto" | "key" | "smp" | "rep" | "adm"): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let id = `${prefix}_`;
  // 256 is a multiple of the alphabet's 32 characters, so every character is equally likely.
  for (const byte of pool.subarray(used, used + length)) id += alphabet.charAt(byte % alphabet.length);
  used += length;
  return id;
}
