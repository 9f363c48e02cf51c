import { randomUUID } from "node:crypto";
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
// A replacement takes milliseconds.
const interruptedAfterMs = 60_000;

/** Replaces a JSON file atomically: readers, also those after an interruption, see the old or the new content. */
export function replaceJsonFile(file: string, value: unknown, mode: number): void {
  const part = `${file}.${randomUUID()}`;
  writeFileSync(part, `${JSON.stringify(value, undefined, 2)}\n`, { mode, flush: true });
  renameSync(part, file);
}

/**
 * Removes the files that processes have left which were killed while they replaced a file. Those of a replacement in
 * progress remain: another process may be about to rename its own.
 *
 * @param nowMs milliseconds since the Unix epoch
 */
export function removeInterruptedReplacements(file: string, nowMs: number): void {
  const { dir, base } = path.parse(file);
  for (const name of readdirSync(dir)) {
    if (!name.startsWith(`${base}.`) || !uuid.test(name.slice(base.length + 1))) continue;
    const part = path.join(dir, name);
    const writtenMs = statSync(part, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
    if (nowMs - writtenMs > interruptedAfterMs) rmSync(part, { force: true });
  }
}
