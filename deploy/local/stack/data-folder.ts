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

const demoFacts = z.object({
  base_url: z.string(),
  api_key: z.string(),
  registry_address: z.string(),
  database_server: z.string(),
  shop: z.string(),
  receiver_url: z.string(),
});

/** What `demo.json` holds. */
export type DemoFacts = z.output<typeof demoFacts>;

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
export function readDemoFacts(folder: DataFolder): DemoFacts | undefined {
  if (!existsSync(folder.demoFile)) return undefined;
  return demoFacts.parse(JSON.parse(readFileSync(folder.demoFile, "utf8")));
}

/** Writes the facts; the file holds an API key, so that only its owner may read it. */
export function writeDemoFacts(folder: DataFolder, facts: DemoFacts): void {
  writeFileSync(folder.demoFile, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
}
