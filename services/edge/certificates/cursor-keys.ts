import { readFileSync } from "node:fs";
import { ConfigError } from "#shared/config/load-config.ts";

/** The keys of the cursors: the first one signs, all of them verify. */
export type CursorKeys = readonly [Uint8Array, ...Uint8Array[]];

const keyBytesMin = 32;

/**
 * Reads the keys. A file's bytes are the key as they are, a line break at the end included.
 *
 * @param files `EDGE_CURSOR_KEY_FILES`
 * @throws ConfigError naming the file that cannot be read or is shorter than 32 bytes, or when there is none
 */
export function readCursorKeys(files: readonly string[]): CursorKeys {
  const [first, ...others] = files.map(readKey);
  if (first === undefined) throw new ConfigError("EDGE_CURSOR_KEY_FILES names no file");
  return [first, ...others];
}

function readKey(file: string): Uint8Array {
  let key: Uint8Array;
  try {
    key = readFileSync(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`EDGE_CURSOR_KEY_FILES: cannot read ${file}: ${reason}`);
  }
  if (key.byteLength >= keyBytesMin) return key;
  throw new ConfigError(
    `EDGE_CURSOR_KEY_FILES: ${file} holds ${key.byteLength} bytes, at least 32 are needed`,
  );
}
