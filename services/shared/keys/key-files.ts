import { checkEach } from "../config/check-together.ts";
import { ConfigError } from "../config/config-error.ts";
import { readNamedBytes } from "../config/named-file.ts";

/** Keys for rotation without downtime: the first key signs or encrypts, and every key verifies or decrypts. */
export type Keys = readonly [Uint8Array, ...Uint8Array[]];

const keyBytesMin = 32;

/**
 * Reads keys from mounted files. A key is the entire content of its file, including a trailing line break.
 *
 * @param variable the configuration variable that lists the files, for error messages
 * @throws ConfigError if the list is empty, or naming each file that cannot be read or has fewer than 32 bytes
 */
export function readKeyFiles(variable: string, files: readonly string[]): Keys {
  const [first, ...others] = checkEach(files, (file) => readKey(variable, file));
  if (first === undefined) throw new ConfigError(`${variable} must name at least one file`);
  return [first, ...others];
}

function readKey(variable: string, file: string): Uint8Array {
  const key = readNamedBytes({ variable, file });
  if (key.byteLength >= keyBytesMin) return key;
  throw new ConfigError(`${variable}: ${file} has ${key.byteLength} bytes; at least ${keyBytesMin} are required`);
}
