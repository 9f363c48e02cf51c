import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { MongoClient } from "mongodb";
import { makeServerCertificate, type ServerCertificate } from "../../deploy/local/receiver/self-signed.ts";
import { startDatabase } from "../../deploy/local/servers/database-server.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { startMessages } from "../../deploy/local/servers/message-server.ts";
import type { RunningServer } from "../../deploy/local/servers/running-server.ts";
import { type ServiceSpec, startService } from "../../deploy/local/stack/service-process.ts";
import { databaseUri, notifierSpec, registrySpec } from "../../deploy/local/stack/service-specs.ts";
import { type Collections, collectionsOf } from "../../services/registry/mongo/collections.ts";
import { connectRegistry, type RegistryCalls } from "../check/registry-calls.ts";
import { type HeldDeliveries, holdableDeliveries } from "./held-deliveries.ts";
import type { BenchOptions } from "./options.ts";

/** What is measured: database, messages, a registry and a notifier, each a process of its own with data of its own. */
export interface BenchStack {
  /** What the database server is called, as `mongod`. */
  readonly databaseKind: string;
  readonly registry: RegistryCalls;
  /** The registry's gRPC, `host:port`. */
  readonly registryAddress: string;
  /** Process ids, by what the processes are called in the report. */
  readonly processes: Readonly<Record<"database" | "messages" | "registry" | "notifier", number>>;
  /** The registry's database. */
  readonly collections: Collections;
  /** The connection string of a database on the same server that no registry knows. */
  readonly bareUri: string;
  readonly deliveries: HeldDeliveries;
  /** For a receiver on 127.0.0.1 that the notifier trusts. */
  readonly receiverCertificate: ServerCertificate;
  /** Ends a process or closes a connection with the stack, before all that were there earlier. */
  onClose(close: () => Promise<unknown>): void;
  /** Ends every process and removes what they stored. */
  close(): Promise<void>;
}

/** Starts it. @throws SetupError, one sentence, when a part cannot be had or does not start; nothing keeps running then */
export async function startBenchStack(
  { buildFast, keep }: Pick<BenchOptions, "buildFast" | "keep">,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<BenchStack> {
  const folder = await mkdtemp(path.join(tmpdir(), "bench-"));
  const undo: (() => Promise<unknown>)[] = [
    async () => (keep ? say(`data and logs: ${folder}`) : rm(folder, { recursive: true, force: true })),
  ];
  const onClose = (close: () => Promise<unknown>) => void undo.push(close);
  const close = async () => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  const logFile = (name: string) => path.join(folder, `${name}.log`);
  // Servers of this run alone: nothing else may write there, and their processes are measured.
  const env = { ...process.env, MONGODB_URI: undefined, NATS_URL: undefined };
  const serverOptions = (name: string) => {
    return { dataDir: path.join(folder, name), port: 0, log: say, logFile: logFile(name), signal, env };
  };
  const service = async (spec: ServiceSpec) => {
    const child = await startService(spec, logFile(spec.name), signal);
    onClose(() => child.stop());
    return child.pid;
  };
  try {
    const server = await startDatabase({ ...serverOptions("database"), buildFast });
    onClose(() => server.stop());
    const messages = await startMessages(serverOptions("messages"));
    onClose(() => messages.stop());
    const addresses = {
      mongodbUri: databaseUri(server.url),
      natsUrl: messages.url,
      registryPort: await freePort(),
      registryOperationsPort: await freePort(),
      notifierOperationsPort: await freePort(),
      edgePort: 0,
      edgeOperationsPort: 0,
    };
    const receiverCertificate = await makeServerCertificate();
    const caFile = path.join(folder, "ca.pem");
    await writeFile(caFile, receiverCertificate.caPem);
    const secretKeyFile = path.join(folder, "secret.key");
    await writeFile(secretKeyFile, randomBytes(32));
    const processes = {
      database: pidOf(server),
      messages: pidOf(messages),
      registry: await service(registrySpec(addresses, secretKeyFile)),
      notifier: await service(notifierSpec(addresses, caFile)),
    };
    const client = new MongoClient(addresses.mongodbUri, { readConcern: { level: "majority" } });
    onClose(() => client.close());
    const collections = collectionsOf(client.db());
    const deliveries = await holdableDeliveries(messages.url, collections);
    onClose(() => deliveries.close());
    const registryAddress = `127.0.0.1:${addresses.registryPort}`;
    const registry = connectRegistry(registryAddress);
    onClose(async () => registry.close());
    const bareUri = new URL(server.url);
    bareUri.pathname = "/bare";
    return {
      ...{ databaseKind: server.kind, registry, registryAddress, processes, collections, deliveries },
      ...{ bareUri: bareUri.href, receiverCertificate, onClose, close },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function pidOf({ kind, pid }: RunningServer): number {
  if (pid === null) throw new Error(`the process of ${kind} is not known`);
  return pid;
}
