import { mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { systemErrorCode } from "#shared/errors/system-error-code.ts";
import { replaceJsonFile } from "#shared/files/replace-json-file.ts";

const context = z.strictObject({
  /** gRPC address, `host:port`. */
  registry: z.string().min(1).optional(),
  certFile: z.string().min(1).optional(),
  keyFile: z.string().min(1).optional(),
  caFile: z.string().min(1).optional(),
  certDomain: z.string().min(1).optional(),
  plaintext: z.boolean().optional(),
  /** Domain or id. */
  store: z.string().min(1).optional(),
});

const contextFile = z.strictObject({
  current: z.string().optional(),
  contexts: z.record(z.string(), context).default({}),
});

/** Named settings with which certctl reaches a registry. A context contains the paths of TLS files, but no secrets. */
export type Context = z.output<typeof context>;

/** The contexts by name, and the name of the current one. */
export type ContextFile = z.output<typeof contextFile>;

/** Returns the file's path: `CERTCTL_CONFIG`, otherwise `certctl/config.json` in the XDG configuration folder. */
export function contextFilePath(env: NodeJS.ProcessEnv = process.env): string {
  return env.CERTCTL_CONFIG || path.join(env.XDG_CONFIG_HOME || path.join(homedir(), ".config"), "certctl/config.json");
}

/** Reads the contexts; a missing or empty file has none. @throws Error with the remedy if the file cannot be used */
export function readContextFile(location: string): ContextFile {
  try {
    return contextFile.parse(JSON.parse(readFileSync(location, "utf8").trim() || "{}"));
  } catch (cause) {
    if (systemErrorCode(cause) === "ENOENT") return { contexts: {} };
    const problem = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    const message = `The context file ${location} cannot be used. Correct or delete the file. Cause: ${problem}`;
    throw new Error(message, { cause });
  }
}

/** Replaces the file, atomically. */
export function writeContextFile(location: string, content: ContextFile): void {
  mkdirSync(path.dirname(location), { recursive: true });
  replaceJsonFile(location, content, 0o666);
}
