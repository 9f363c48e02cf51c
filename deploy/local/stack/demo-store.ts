import { writeFile } from "node:fs/promises";
import path from "node:path";
import { runCertctl } from "./run-certctl.ts";
import { projectFolder } from "./service-process.ts";

/** The demo's store. */
export const demoShop = "linden-press.example";

const catalogueFile = "deploy/local/demo/catalogue.json";
const ordersFile = "deploy/local/demo/orders_export.csv";

/** What sets the demo store up. */
export interface DemoSetup {
  /** The registry's `host:port`. */
  readonly registryAddress: string;
  readonly receiverUrl: string;
  /** The file from which the receiver reads the signing secret; written here. */
  readonly secretFile: string;
}

/**
 * Creates the demo store on the Pro plan with a catalogue, an API key, samples and a webhook.
 *
 * @returns the API key
 */
export async function createDemoStore(setup: DemoSetup): Promise<string> {
  const certctl = (...args: string[]) => runCertctl(setup.registryAddress, demoShop, args);
  await certctl("store", "create", demoShop, "--plan", "pro", "--edition-style", "zero-padded");
  await certctl("plan", "set", "pro");
  await certctl("catalogue", "put", path.join(projectFolder, catalogueFile));
  await certctl("sample", "create", "--title", "Sample: what your certificate will look like");
  const secret = await certctl("webhook", "set", setup.receiverUrl, "--create-secret");
  await writeFile(setup.secretFile, secret.trim(), { mode: 0o600 });
  return (await certctl("key", "create", "--label", "demo")).trim();
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
