import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { systemErrorCode } from "#shared/errors/system-error-code.ts";

/** Path, relative to the checkout, of the file that `npm start` writes. */
export const localFactsName = ".data/demo.json";

/** Path of the checkout that contains certctl. */
export const projectFolder = fileURLToPath(new URL("../../../", import.meta.url));

const localFacts = z.object({
  registry_address: z.string().min(1),
  operator_tls: z.object({ cert_file: z.string(), key_file: z.string(), ca_file: z.string() }).optional(),
  storefront: z.object({ webhook_url: z.string(), secret_file: z.string(), shop: z.string() }).optional(),
});

/** The part of `demo.json` that certctl uses. */
type LocalFacts = z.output<typeof localFacts>;

const connectionRemedy =
  "specify the registry with --registry or CERTCTL_REGISTRY and its TLS files with --cert-file, --key-file and " +
  "--ca-file";

/**
 * Returns the connection settings that the last `npm start` in a checkout wrote; undefined if the file does not exist.
 *
 * @param remedy the options that make the file unnecessary
 * @throws Error with the remedy if the file cannot be used
 */
export function readLocalFacts(folder: string, remedy = connectionRemedy): LocalFacts | undefined {
  try {
    return localFacts.parse(JSON.parse(readFileSync(`${folder}/${localFactsName}`, "utf8")));
  } catch (cause) {
    if (systemErrorCode(cause) === "ENOENT") return undefined;
    throw new Error(
      `certctl cannot use the file ${localFactsName} that npm start wrote. Run npm start again, or ${remedy}.`,
      { cause },
    );
  }
}
