import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { SetupError } from "../servers/setup-error.ts";

/**
 * Combines the certificate authorities of the demo receiver and of the user's own receivers in one file next to
 * `demoFile`.
 *
 * @param demoFile the demo receiver's authority, PEM
 * @param ownFile the user's authorities, PEM; undefined or empty for none
 * @returns path of the file for the local notifier: `demoFile` itself if the user has no authorities
 * @throws SetupError when the user's file cannot be read; the notifier checks its content
 */
export async function combineAuthorities(demoFile: string, ownFile: string | undefined): Promise<string> {
  if (!ownFile) return demoFile;
  const own = await readFile(ownFile, "utf8").catch(() => {
    throw new SetupError(
      `NOTIFIER_EXTRA_CA_FILE: ${ownFile} cannot be read. Correct its path or permissions, or unset the variable.`,
    );
  });
  const file = path.join(path.dirname(demoFile), "trusted-authorities.pem");
  await writeFile(file, `${await readFile(demoFile, "utf8")}\n${own}`, { mode: 0o600 });
  return file;
}
