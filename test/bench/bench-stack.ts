import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { MongoClient } from "mongodb";
import { makeServerCertificate, type ServerCertificate } from "../../deploy/local/receiver/self-signed.ts";
import { startDatabase } from "../../deploy/local/servers/database-server.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { startNats } from "../../deploy/local/servers/nats-server.ts";
import type { RunningServer } from "../../deploy/local/servers/running-server.ts";
import type { ServiceSpec } from "../../deploy/local/stack/service-process.ts";
import { databaseUri, notifierSpec, registrySpec } from "../../deploy/local/stack/service-specs.ts";
import { type Collections, collectionsOf } from "../../services/registry/mongo/collections.ts";
import type { Say } from "../checks/runner/conduct.ts";
import { CheckProcesses } from "../checks/runner/processes.ts";
import { connectRegistry, type RegistryCalls } from "../checks/runner/registry-calls.ts";
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
  readonly pids: Readonly<Record<"database" | "messages" | "registry" | "notifier", number>>;
  /** The registry's database. */
  readonly collections: Collections;
  /** The connection string of a database on the same server that no registry knows. */
  readonly bareUri: string;
  readonly deliveries: HeldDeliveries;
  /** Tells people how far it is. */
  readonly say: Say;
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
  over: AbortSignal,
  say: Say,
): Promise<BenchStack> {
  const processes = await CheckProcesses.open({ name: "bench", keep, over, say });
  try {
    return await startOn(processes, buildFast);
  } catch (error) {
    await processes.close();
    throw error;
  }
}

async function startOn(processes: CheckProcesses, buildFast: boolean): Promise<BenchStack> {
  const onClose: BenchStack["onClose"] = (step) => processes.onClose(step);
  const { signal, say } = processes;
  // Servers of this run alone: nothing else may write there, and their processes are measured.
  const env = { ...process.env, MONGODB_URI: undefined, NATS_URL: undefined };
  const optionsOf = (name: string) => {
    const logFile = processes.path(`${name}.log`);
    return { dataDir: processes.path(name), port: 0, log: say, logFile, signal, env };
  };
  const service = async (spec: ServiceSpec) => {
    const child = await processes.launch(spec);
    onClose(() => child.stop());
    return child.pid;
  };
  const server = await startDatabase({ ...optionsOf("database"), buildFast });
  onClose(() => server.stop());
  const messages = await startNats(optionsOf("messages"));
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
  const files = { ca: processes.path("ca.pem"), secretKey: processes.path("secret.key") };
  await writeFile(files.ca, receiverCertificate.caPem);
  await writeFile(files.secretKey, randomBytes(32));
  const pids = {
    database: pidOf(server),
    messages: pidOf(messages),
    registry: await service(registrySpec(addresses, files.secretKey)),
    notifier: await service(notifierSpec(addresses, files.ca)),
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
    ...{ databaseKind: server.kind, registry, registryAddress, pids, collections, deliveries },
    ...{ bareUri: bareUri.href, receiverCertificate, onClose, say },
    close: () => processes.close(),
  };
}

function pidOf({ kind, pid }: RunningServer): number {
  if (pid === null) throw new Error(`the process of ${kind} is not known`);
  return pid;
}
