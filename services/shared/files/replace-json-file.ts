import { randomUUID } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";

/** Replaces a JSON file atomically: readers, also those after an interruption, see the old or the new content. */
export function replaceJsonFile(file: string, value: unknown, mode: number): void {
  const part = `${file}.${randomUUID()}`;
  writeFileSync(part, `${JSON.stringify(value, undefined, 2)}\n`, { mode, flush: true });
  renameSync(part, file);
}
