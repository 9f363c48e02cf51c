import { open, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { findLeaks } from "./find-leaks.ts";

const reportedMax = 10;
const encodings = ["base64", "base64url", "hex"] as const;

/**
 * Checks that no log in a folder (`*.log`) contains a key, secret, cursor or e-mail address, including the keys in the
 * folder's key files (`*.key`).
 *
 * @throws Error with the file, the line number and the masked line of up to ten leaks
 */
export async function requireCleanLogs(folder: string): Promise<void> {
  const names = await readdir(folder);
  const keys = await Promise.all(
    names.filter((name) => name.endsWith(".key")).map((name) => readFile(path.join(folder, name))),
  );
  const known = keys.flatMap((key) => encodings.map((encoding) => key.toString(encoding)));
  const leaks: string[] = [];
  for (const name of names.filter((file) => file.endsWith(".log"))) {
    await using file = await open(path.join(folder, name));
    let number = 0;
    for await (const line of file.readLines({ autoClose: false })) {
      number++;
      for (const { kind, masked } of findLeaks(line, known)) leaks.push(`${name}:${number} (${kind}): ${masked}`);
    }
  }
  requireNoLeaks(leaks);
}

/** Throws an Error that lists up to ten leaks, if there are any. @param leaks one line each */
export function requireNoLeaks(leaks: readonly string[]): void {
  if (leaks.length === 0) return;
  const rest = leaks.length > reportedMax ? [`… and ${leaks.length - reportedMax} more`] : [];
  const lines = [...leaks.slice(0, reportedMax), ...rest];
  throw new Error(`A log must not contain a key, secret, cursor or e-mail address.\n${lines.join("\n")}`);
}
