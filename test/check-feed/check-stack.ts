import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { MongoClient } from "mongodb";
import { startDatabase } from "../../deploy/local/servers/database-server.ts";
import { startMessages } from "../../deploy/local/servers/message-server.ts";
import { type ServiceSpec, startService } from "../../deploy/local/stack/service-process.ts";
import { databaseUri } from "../../deploy/local/stack/service-specs.ts";
import { type Collections, collectionsOf } from "../../services/registry/mongo/collections.ts";
import type { CheckOptions } from "./options.ts";
import { Part, type PartProcess } from "./part.ts";
import { connectRegistry, type RegistryCalls } from "./registry-calls.ts";
import { checkedServices } from "./service-specs.ts";
import { shortenTransactions } from "./short-transactions.ts";
import { findSteadyPorts } from "./steady-ports.ts";

/** The system under test: everything a process of its own, on 127.0.0.1, with data of its own. */
export interface CheckStack {
  /** All of it: database, messages, three registries, two edges. */
  readonly parts: readonly Part[];
  readonly registries: readonly RegistryCalls[];
  readonly edgeUrls: readonly string[];
  /** Straight to the database, past the registries. */
  readonly collections: Collections;
  /** Ends every process and removes what they stored. */
  close(): Promise<void>;
}

type StackOptions = Pick<CheckOptions, "plainClock" | "buildFast" | "keep">;

/** Starts it. @throws SetupError, one sentence, when a part cannot be had or does not start; nothing keeps running then */
export async function startCheckStack(
  options: StackOptions,
  over: AbortSignal,
  say: (line: string) => void,
): Promise<CheckStack> {
  const folder = await mkdtemp(path.join(tmpdir(), "check-feed-"));
  const closing = new AbortController();
  const signal = AbortSignal.any([over, closing.signal]);
  const parts: Part[] = [];
  const undo: (() => Promise<unknown>)[] = [
    async () =>
      options.keep ? say(`data and logs: ${folder}`) : rm(folder, { recursive: true, force: true }),
  ];
  const close = async () => {
    closing.abort();
    for (const step of undo.toReversed()) await step();
  };
  const logFile = (name: string) => path.join(folder, `${name}.log`);
  const note = (line: string) => appendFileSync(logFile("check"), `${new Date().toISOString()} ${line}\n`);
  const start = async (name: string, launch: () => Promise<PartProcess>) => {
    const part = await Part.start({ name, launch, say, note, signal });
    parts.push(part);
    undo.push(() => part.close());
  };
  const service = (spec: ServiceSpec) =>
    start(spec.name, () => startService(spec, logFile(spec.name), signal));
  try {
    const [databasePort = 0, messagesPort = 0, ...ports] = await findSteadyPorts(12);
    // Servers that somebody else runs cannot be killed.
    const env = { ...process.env, MONGODB_URI: undefined, NATS_URL: undefined };
    const serverOptions = (name: string, port: number) => {
      const log = parts.some((part) => part.name === name) ? () => undefined : say;
      return { dataDir: path.join(folder, name), port, log, logFile: logFile(name), signal, env };
    };
    await start("database", async () => {
      const { buildFast } = options;
      const server = await startDatabase({ ...serverOptions("database", databasePort), buildFast });
      try {
        await shortenTransactions(server.url);
        return server;
      } catch (error) {
        server.kill();
        throw error;
      }
    });
    await start("messages", () => startMessages(serverOptions("messages", messagesPort)));
    const mongodbUri = databaseUri(`mongodb://127.0.0.1:${databasePort}/?directConnection=true`);
    const database = new MongoClient(mongodbUri, { readConcern: { level: "majority" } });
    undo.push(() => database.close());
    const cursorKeyFile = path.join(folder, "cursor.key");
    const secretKeyFile = path.join(folder, "secret.key");
    for (const file of [cursorKeyFile, secretKeyFile]) await writeFile(file, randomBytes(32));
    const natsUrl = `nats://127.0.0.1:${messagesPort}`;
    const services = checkedServices({
      mongodbUri,
      natsUrl,
      ports,
      cursorKeyFile,
      secretKeyFile,
      ...options,
    });
    for (const spec of services.specs) await service(spec);
    const registries = services.registryAddresses.map(connectRegistry);
    for (const registry of registries) undo.push(async () => registry.close());
    return {
      parts,
      registries,
      edgeUrls: services.edgeUrls,
      collections: collectionsOf(database.db()),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
