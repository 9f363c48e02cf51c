import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { SetupError } from "../servers/setup-error.ts";

/**
 * Makes one file of the authorities of the demo's receiver and of the caller's receivers.
 *
 * @param demoFile PEM; the file that is made stands beside it
 * @param ownFile the caller's, PEM; undefined or empty: none
 * @returns the file that the local notifier is to trust
 * @throws SetupError when the caller's file cannot be read; whether it can be used is the notifier's to say
 */
export async function trustAlso(demoFile: string, ownFile: string | undefined): Promise<string> {
  if (!ownFile) return demoFile;
  const own = await readFile(ownFile, "utf8").catch(() => {
    throw new SetupError(`NOTIFIER_EXTRA_CA_FILE: ${ownFile} cannot be read.`);
  });
  const file = path.join(path.dirname(demoFile), "trusted-authorities.pem");
  await writeFile(file, `${await readFile(demoFile, "utf8")}\n${own}`, { mode: 0o600 });
  return file;
}
