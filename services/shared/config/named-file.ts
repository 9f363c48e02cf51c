import { readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";

/** A file, with the configuration variable that names it, for error messages. */
export interface NamedFile {
  readonly variable: string;
  readonly file: string;
}

/** Returns the content of a file. @throws ConfigError naming the variable and the file if it cannot be read */
export function readNamedFile({ variable, file }: NamedFile): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
    throw new ConfigError(`${variable}: ${file} cannot be read${code}`);
  }
}
