import { readFileSync } from "node:fs";
import { ConfigError } from "../config/config-error.ts";

/** Keys of which the first one is in use and all are known, so that a key can be replaced without a gap. */
export type Keys = readonly [Uint8Array, ...Uint8Array[]];

const keyBytesMin = 32;

/**
 * Reads keys from mounted files. A file's bytes are the key as they are, a line break at the end included.
 *
 * @param variable the configuration variable that names the files, for messages
 * @throws ConfigError naming the file that cannot be read or is shorter than 32 bytes, or when there is none
 */
export function readKeyFiles(variable: string, files: readonly string[]): Keys {
  const [first, ...others] = files.map((file) => readKey(variable, file));
  if (first === undefined) throw new ConfigError(`${variable} names no file`);
  return [first, ...others];
}

function readKey(variable: string, file: string): Uint8Array {
  let key: Uint8Array;
  try {
    key = readFileSync(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`${variable}: cannot read ${file}: ${reason}`);
  }
  if (key.byteLength >= keyBytesMin) return key;
  throw new ConfigError(`${variable}: ${file} holds ${key.byteLength} bytes, at least 32 are needed`);
}
