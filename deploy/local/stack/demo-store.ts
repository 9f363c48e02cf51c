import { writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { type DemoRegistry, runCertctl } from "./run-certctl.ts";
import { projectFolder } from "./service-process.ts";

/** The demo store's domain, which certctl accepts in place of the store's id. */
export const demoStoreId = "linden-press.example";

const catalogueFile = "deploy/local/demo/catalogue.json";
const ordersFile = "deploy/local/demo/orders_export.csv";
const keyLabel = "demo";

const listedKey = z.object({ keyId: z.string(), label: z.string(), lastUsedAt: z.string().nullable() });

/**
 * Creates the demo store on the Pro plan with a sample certificate, a catalogue and an API key. Continues with the
 * store of a first start that was interrupted, and revokes its key.
 *
 * @returns the key
 */
export async function createDemoStore(registry: DemoRegistry): Promise<string> {
  const certctl = (...args: string[]) => runCertctl(registry, demoStoreId, args);
  const look = ["--edition-style", "zero-padded", "--display-name", "Linden Press", "--owner-display", "initials"];
  const domains = (await certctl("store", "list")).split(/\s+/);
  if (domains.includes(demoStoreId)) {
    await revokeUnusedKeys(certctl);
  } else {
    await certctl("store", "create", demoStoreId, "--plan", "pro", ...look);
    await certctl("sample", "create", "--title", "Sample: what your certificate will look like");
  }
  await certctl("catalogue", "put", path.join(projectFolder, catalogueFile));
  return (await certctl("key", "create", "--label", keyLabel)).trim();
}

/** Revokes the keys of interrupted starts. The demo shop uses a key as soon as a start has stored it. */
async function revokeUnusedKeys(certctl: (...args: string[]) => Promise<string>): Promise<void> {
  const lines = (await certctl("--json", "key", "list")).split("\n").filter((line) => line !== "");
  for (const { keyId, label, lastUsedAt } of lines.map((line) => listedKey.parse(JSON.parse(line))))
    if (label === keyLabel && lastUsedAt === null) await certctl("key", "revoke", keyId, "--yes");
}

/** Sets a storefront rule that issues certificates for every product in orders placed from now on. */
export async function setDemoRules(registry: DemoRegistry): Promise<void> {
  await runCertctl(registry, demoStoreId, ["storefront", "rules", "set", "all", "--all"]);
}

/** Sets the demo store's webhook with a new signing secret, and writes the secret to the receiver's file. */
export async function setDemoWebhook(registry: DemoRegistry, url: string, secretFile: string): Promise<void> {
  const args = ["webhook", "set", url, "--create-secret", "--yes"];
  const secret = await runCertctl(registry, demoStoreId, args);
  await writeFile(secretFile, secret.trim(), { mode: 0o600 });
}

// The exit code of an import with unusable rows (deploy/operations/certctl.md).
const rowsUnusableCode = 3;

const imported = z.object({ rows: z.number(), orders: z.number(), issued: z.number() });
const rejected = z.object({ rejects: z.object({ rowCount: z.number() }) });

/**
 * Imports the demo order export, some of whose rows are unusable on purpose, as those of real exports are. Idempotent.
 *
 * @param rejectsFile receives the refused rows, each with the reason
 * @returns the number of certificates issued, and a sentence with the result
 */
export async function importDemoOrders(
  registry: DemoRegistry,
  rejectsFile: string,
): Promise<{ readonly issued: number; readonly result: string }> {
  const orders = path.join(projectFolder, ordersFile);
  const args = ["--json", "import", "orders", orders, "--rejects", rejectsFile];
  const documents = (await runCertctl(registry, demoStoreId, args, [rowsUnusableCode]))
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  const { rows, orders: orderCount, issued } = imported.parse(documents[0]);
  const { rowCount } = rejected.parse(documents[1]).rejects;
  const refused = `${rowCount} of ${rows} rows refused, as the demo intends: ${rejectsFile}`;
  return { issued, result: `${issued} certificates for ${orderCount} orders; ${refused}` };
}

/** Creates a link that opens the demo store's settings. */
export async function createSettingsLink(registry: DemoRegistry): Promise<string> {
  return (await runCertctl(registry, demoStoreId, ["settings", "link", "--for", "demo merchant"])).trim();
}

const listed = z.object({ verifyUrl: z.string() });

/**
 * Returns the URL of a verification page; undefined if the store has no certificate. Does not use the list API,
 * whose rate limit may be used up.
 */
export async function findVerifyUrl(registry: DemoRegistry): Promise<string | undefined> {
  const [first = ""] = (
    await runCertctl(registry, demoStoreId, ["--json", "certificate", "list", "--limit", "1"])
  ).split("\n");
  return first === "" ? undefined : listed.parse(JSON.parse(first)).verifyUrl;
}
