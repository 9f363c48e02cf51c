import path from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { ConfigError } from "#shared/config/config-error.ts";
import { type Environment, readEnvironment } from "#shared/config/read-environment.ts";
import { registryConfig } from "../config.ts";
import { releaseAutomation } from "../mongo/backup/automation-hold.ts";
import { finishRestore } from "../mongo/backup/finish-restore.ts";
import { restoreBackup } from "../mongo/backup/restore-backup.ts";
import { hasStores, saveBackup } from "../mongo/backup/save-backup.ts";
import { collectionsOf } from "../mongo/documents/collections.ts";
import { connectMongo } from "../mongo/opening/connect-mongo.ts";
import { checkConnectionString } from "../mongo/opening/connection-string.ts";
import { checkNotEmptied } from "./check-not-emptied.ts";
import { backupName, pruneBackups, replyTimeoutMaxSeconds } from "./prune-backups.ts";

const usage = `Usage: backup save --folder <folder> [--reads auto|snapshot|transaction] [--reply-timeout <seconds>]
       backup save --into <folder> [--keep <n>] [--reads auto|snapshot|transaction] [--reply-timeout <seconds>]
       backup restore --folder <folder> [--pending interrupt|send] [--skip-serials <n>]
       backup finish-restore [--pending interrupt|send] [--skip-serials <n>]
       backup release-automation

Backs up or restores the database that REGISTRY_MONGODB_URI names. save can run while the services run. Before restore,
stop all registries and drop the database. finish-restore does only the last step of restore, for a database that
another tool has restored. Registries hold the automation events of a restored database until release-automation: run
it once you have repeated the erasures of persons since the backup.

--into          folder in which to create the backup's own folder, whose name is the current time. Incomplete backups in
                this folder that have not been written to for an hour are deleted.
--keep          number of complete backups to keep in the folder of --into. Default: all.
--reads         how save reads the data of one point in time. snapshot: save must end within
                minSnapshotHistoryWindowInSeconds. transaction: save must end within transactionLifetimeLimitSeconds.
                auto (default): snapshot if the server keeps snapshots, or else transaction.
--reply-timeout seconds after which save fails if the database does not reply to a command. Default 60.
--pending       what to do with webhook messages of events from before the restore. interrupt (default): do not send
                them. send: send them; a message that was sent after the backup may be sent a second time.
--skip-serials  serial numbers that each store skips, so that none is issued twice: at least as many as the busiest
                store can have issued since the backup. Default 0.`;

const finishing = {
  pending: z.enum(["interrupt", "send"]).default("interrupt"),
  "skip-serials": z.coerce.number().int().min(0).max(1_000_000).default(0),
};
const folder = z.string().min(1);

const saving = {
  name: z.literal("save"),
  reads: z.enum(["auto", "snapshot", "transaction"]).default("auto"),
  "reply-timeout": z.coerce.number().int().min(1).max(replyTimeoutMaxSeconds).default(60),
};

const commandSchema = z.union([
  z.strictObject({ ...saving, folder }),
  z.strictObject({ ...saving, into: folder, keep: z.coerce.number().int().min(1).optional() }),
  z.strictObject({ name: z.literal("restore"), folder, ...finishing }),
  z.strictObject({ name: z.literal("finish-restore"), ...finishing }),
  z.strictObject({ name: z.literal("release-automation") }),
]);

const environmentSchema = z.object({ mongodbUri: registryConfig.schema.shape.mongodbUri });

/**
 * Runs a command of the backup program.
 *
 * @returns the exit code: 0 on success and for `--help`, 1 on failure, 2 if the command line or the connection string
 * is invalid
 */
export async function runBackupCommand(args: readonly string[], env: Environment): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const command = parseCommand(args);
  if (command === undefined) {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  try {
    const { mongodbUri } = readEnvironment(environmentSchema, env, () => "REGISTRY_MONGODB_URI");
    checkConnectionString("REGISTRY_MONGODB_URI", mongodbUri);
    for await (const line of run(command, mongodbUri)) process.stdout.write(`${line}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return error instanceof ConfigError ? 2 : 1;
  }
}

type BackupCommand = z.output<typeof commandSchema>;
type SaveCommand = Extract<BackupCommand, { readonly name: "save" }>;

function parseCommand(args: readonly string[]): BackupCommand | undefined {
  const options = {
    folder: { type: "string" },
    into: { type: "string" },
    keep: { type: "string" },
    reads: { type: "string" },
    "reply-timeout": { type: "string" },
    pending: { type: "string" },
    "skip-serials": { type: "string" },
  } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [name, ...rest] = positionals;
    return rest.length > 0 ? undefined : commandSchema.safeParse({ name, ...values }).data;
  } catch {
    return undefined;
  }
}

/** Runs a command, and yields the lines that it prints. */
async function* run(command: BackupCommand, uri: string): AsyncGenerator<string> {
  // A step of a restore, such as a change of all events, has no limit.
  const socketTimeoutMs = command.name === "save" ? command["reply-timeout"] * 1_000 : 0;
  const client = await connectMongo(uri, {
    appName: "certificate-registry backup",
    connectionsMax: 2,
    socketTimeoutMs,
  });
  try {
    if (command.name === "save") {
      if ("into" in command && !(await hasStores(client))) await checkNotEmptied(command.into);
      // Before, too: otherwise a full volume would stay full, however few backups are to be kept.
      yield* prune(command);
      const name = backupName(new Date());
      const target = "into" in command ? path.join(command.into, name) : command.folder;
      const { takenAt, counts } = await saveBackup(client, target, command.reads);
      yield `saved ${describe(counts)}`;
      yield `the backup in ${target} contains all changes before ${takenAt}`;
      yield* prune(command, name);
      return;
    }
    if (command.name === "release-automation") {
      await releaseAutomation(collectionsOf(client.db()).restores);
      yield "registries publish automation events";
      return;
    }
    const { pending, "skip-serials": skipSerials } = command;
    const restored = command.name === "restore" ? await restoreBackup(client, command.folder) : undefined;
    const interruptedCount = await finishRestore(client, { pending, skipSerials });
    if (restored !== undefined) yield `restored ${describe(restored.counts)}, as of ${restored.takenAt}`;
    yield "each store's feed has a new epoch; clients will read the list again";
    yield `webhook messages settled as interrupted: ${interruptedCount}`;
    yield "you can start the registries";
    yield "before edges and notifiers run: repeat the erasures of persons, revocations of API keys and rotations of secrets since the backup";
    yield "stores with a storefront connection: messages acknowledged since the backup are lost; read the orders that have changed since then from the platform, and send them with certctl storefront replay (deploy/operations/storefront.md); then repeat the erasures once more";
    yield "automation events are held: once the erasures are repeated, run backup release-automation";
  } finally {
    await client.close();
  }
}

/** Deletes surplus and abandoned backups, see {@link pruneBackups}, and yields a line for each. */
async function* prune(command: SaveCommand, saved?: string): AsyncGenerator<string> {
  if (!("into" in command)) return;
  const deleted = await pruneBackups(command.into, { keep: command.keep, saved });
  for (const name of deleted) yield `deleted the backup ${name}`;
}

function describe(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(", ");
}
