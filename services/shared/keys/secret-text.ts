import { ConfigError } from "../config/config-error.ts";
import { readNamedFile } from "../config/named-file.ts";

const secretBytesMin = 32;

/**
 * Reads a secret that another system issued as text. White space around it, such as a final line break, is not part of
 * the secret.
 *
 * @param variable the configuration variable that names the file, for error messages
 * @returns the secret in UTF-8
 * @throws ConfigError if the file cannot be read or the secret is shorter than 32 bytes
 */
export function readSecretText(variable: string, file: string): Uint8Array {
  const secret = new TextEncoder().encode(readNamedFile({ variable, file }).trim());
  if (secret.length >= secretBytesMin) return secret;
  throw new ConfigError(`${variable}: ${file} must contain a secret of at least ${secretBytesMin} bytes`);
}
