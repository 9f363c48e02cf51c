import { writeFile } from "node:fs/promises";
import path from "node:path";
import { runCertctl } from "./run-certctl.ts";
import { projectFolder } from "./service-process.ts";

/** The demo's store. */
export const demoShop = "linden-press.example";

const catalogueFile = "deploy/local/demo/catalogue.json";
const ordersFile = "deploy/local/demo/orders_export.csv";

/**
 * Creates the demo store on the Pro plan with a catalogue, a sample and an API key.
 *
 * @returns the API key
 */
export async function createDemoStore(registryAddress: string): Promise<string> {
  const certctl = (...args: string[]) => runCertctl(registryAddress, demoShop, args);
  await certctl("store", "create", demoShop, "--plan", "pro", "--edition-style", "zero-padded");
  await certctl("catalogue", "put", path.join(projectFolder, catalogueFile));
  await certctl("sample", "create", "--title", "Sample: what your certificate will look like");
  return (await certctl("key", "create", "--label", "demo")).trim();
}

/** Points the demo store's webhook at the receiver, with a new signing secret in the file from which the receiver reads it. */
export async function setDemoWebhook(
  registryAddress: string,
  url: string,
  secretFile: string,
): Promise<void> {
  const args = ["webhook", "set", url, "--create-secret"];
  const secret = await runCertctl(registryAddress, demoShop, args);
  await writeFile(secretFile, secret.trim(), { mode: 0o600 });
}

/** Imports the demo's order export, showing the progress; what is there already stays. */
export async function importDemoOrders(registryAddress: string): Promise<void> {
  await runCertctl(
    registryAddress,
    demoShop,
    ["import", "orders", path.join(projectFolder, ordersFile)],
    "show",
  );
}
