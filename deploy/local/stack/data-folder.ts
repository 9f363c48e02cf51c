import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";

/** The files of the local demo, all below one git-ignored folder. */
export interface DataFolder {
  readonly root: string;
  readonly database: string;
  readonly messages: string;
  readonly secrets: string;
  readonly logs: string;
  /** What scripts need to know: {@link DemoFacts}. */
  readonly demoFile: string;
}

// All that is read again: of a file that an earlier version wrote, the rest may be missing.
const earlierFacts = z.object({ api_key: z.string(), database_server: z.string(), receiver_url: z.string() });

/** What a start needs to know of the one before it. */
export type EarlierFacts = z.output<typeof earlierFacts>;

/** What `demo.json` holds. */
export interface DemoFacts extends EarlierFacts {
  readonly base_url: string;
  readonly registry_address: string;
  readonly shop: string;
  /** The operations ports: `/livez`, `/readyz`, `/metrics`. Others at each start. */
  readonly registry_operations_url: string;
  readonly edge_operations_url: string;
  readonly notifier_operations_url: string;
  readonly log_folder: string;
}

/** Opens the folder, makes it when it is missing, empties it first when asked to. */
export async function openDataFolder(root: string, reset: boolean): Promise<DataFolder> {
  if (reset) await rm(root, { recursive: true, force: true });
  const folder: DataFolder = {
    root,
    database: path.join(root, "database"),
    messages: path.join(root, "messages"),
    secrets: path.join(root, "secrets"),
    logs: path.join(root, "logs"),
    demoFile: path.join(root, "demo.json"),
  };
  for (const name of [folder.database, folder.messages, folder.logs]) await mkdir(name, { recursive: true });
  await mkdir(folder.secrets, { recursive: true, mode: 0o700 });
  return folder;
}

/** What an earlier start wrote, or undefined on the first one. */
export function readDemoFacts(folder: DataFolder): EarlierFacts | undefined {
  if (!existsSync(folder.demoFile)) return undefined;
  return earlierFacts.parse(JSON.parse(readFileSync(folder.demoFile, "utf8")));
}

/** Writes the facts; the file holds an API key, so that only its owner may read it. */
export function writeDemoFacts(folder: DataFolder, facts: DemoFacts): void {
  writeFileSync(folder.demoFile, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
}
