import { readFileSync } from "node:fs";
import { systemErrorCode } from "../errors/system-error-code.ts";
import { ConfigError } from "./config-error.ts";

/** A file, with the configuration variable that names it, for error messages. */
export interface NamedFile {
  readonly variable: string;
  readonly file: string;
}

/** Returns the text of a file. @throws as {@link readNamedBytes} */
export function readNamedFile(named: NamedFile): string {
  return readNamedBytes(named).toString();
}

/** Returns the content of a file. @throws ConfigError naming the variable and the file if it cannot be read */
export function readNamedBytes({ variable, file }: NamedFile): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const code = systemErrorCode(cause);
    throw new ConfigError(`${variable}: ${file} cannot be read${code === undefined ? "" : ` (${code})`}`);
  }
}
