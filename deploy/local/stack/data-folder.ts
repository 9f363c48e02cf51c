import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { removeInterruptedReplacements, replaceJsonFile } from "#shared/files/replace-json-file.ts";

/** The folders and files of the local demo, all in one folder. */
export interface DataFolder {
  readonly root: string;
  readonly database: string;
  /** Folder of the NATS server's data. */
  readonly messages: string;
  readonly secrets: string;
  /** Contains the demo shop's mirror, a SQLite database. */
  readonly mirror: string;
  readonly logs: string;
  /** {@link demoFacts} as JSON, for scripts, certctl and the next start. */
  readonly demoFile: string;
}

/** The content of `demo.json`. */
export const demoFacts = z.object({
  base_url: z.url(),
  api_key: z.string(),
  /** Used by certctl when no option, variable or context selects a registry. */
  registry_address: z.string(),
  /** PEM files for certctl's mutual TLS with this registry. */
  operator_tls: z.object({ cert_file: z.string(), key_file: z.string(), ca_file: z.string() }),
  database_server: z.string(),
  shop: z.string(),
  /** For scripts that act as the demo store's storefront platform: where to send messages, and how to sign them. */
  storefront: z.object({ webhook_url: z.url(), secret_file: z.string(), shop: z.string() }),
  receiver_url: z.string(),
  /** URL of the demo shop's page. */
  demo_shop_url: z.string(),
  /** Base URL of `/livez`, `/readyz` and `/metrics`; its port changes at each start. */
  registry_operations_url: z.string(),
  edge_operations_url: z.string(),
  notifier_operations_url: z.string(),
  log_folder: z.string(),
});

export type DemoFacts = z.output<typeof demoFacts>;

const previousFacts = demoFacts.pick({ api_key: true, database_server: true, receiver_url: true });

/** The values that a start reuses from the previous start. */
export type PreviousFacts = z.output<typeof previousFacts>;

/**
 * Makes all new files of this process and its child processes accessible only to their owner: logs, keys, and the data
 * of the database and of NATS.
 */
export function keepNewFilesPrivate(): void {
  process.umask(0o077);
}

/**
 * Creates the folder when it is missing, and removes files with API keys that killed starts have left in it. Only its
 * owner may open it, because it contains keys, certificates and logs.
 *
 * @param reset whether to delete the folder and its content first
 */
export async function openDataFolder(root: string, reset: boolean): Promise<DataFolder> {
  if (reset) await rm(root, { recursive: true, force: true });
  const folder: DataFolder = {
    root,
    database: path.join(root, "database"),
    messages: path.join(root, "messages"),
    secrets: path.join(root, "secrets"),
    mirror: path.join(root, "mirror"),
    logs: path.join(root, "logs"),
    demoFile: path.join(root, "demo.json"),
  };
  await mkdir(root, { recursive: true, mode: 0o700 });
  // The folder may exist already, with other permissions.
  await chmod(root, 0o700);
  for (const name of [folder.database, folder.messages, folder.secrets, folder.mirror, folder.logs])
    await mkdir(name, { recursive: true, mode: 0o700 });
  removeInterruptedReplacements(folder.demoFile, Date.now());
  return folder;
}

/** Returns the values to reuse from `demo.json`; undefined if no start has written the file yet. */
export function readPreviousFacts(folder: DataFolder): PreviousFacts | undefined {
  if (!existsSync(folder.demoFile)) return undefined;
  return previousFacts.parse(JSON.parse(readFileSync(folder.demoFile, "utf8")));
}

/** Replaces the facts. Only their owner may read the file, because it contains an API key. */
export function writeDemoFacts({ demoFile }: DataFolder, facts: DemoFacts): void {
  replaceJsonFile(demoFile, facts, 0o600);
}
