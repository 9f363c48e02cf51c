import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { MongoClient } from "mongodb";
import { startDatabase } from "../../deploy/local/servers/database-server.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { startMessages } from "../../deploy/local/servers/message-server.ts";
import type { RunningServer } from "../../deploy/local/servers/running-server.ts";
import { type ServiceSpec, startService } from "../../deploy/local/stack/service-process.ts";
import { databaseUri, registrySpec } from "../../deploy/local/stack/service-specs.ts";
import { connectRegistry, type RegistryCalls } from "../check-feed/registry-calls.ts";
import type { BenchOptions } from "./options.ts";

/** What is measured: a database, messages and a registry, each a process of its own with data of its own. */
export interface BenchStack {
  /** What the database server is called, as `mongod`. */
  readonly databaseKind: string;
  readonly registry: RegistryCalls;
  /** The registry's gRPC, `host:port`. */
  readonly registryAddress: string;
  /** Process ids, by what the processes are called in the report. */
  readonly processes: { readonly registry: number; readonly database: number };
  /** The registry's database. */
  readonly database: MongoClient;
  /** The connection string of a database on the same server that no registry knows. */
  readonly bareUri: string;
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
    const mongodbUri = databaseUri(server.url);
    const database = new MongoClient(mongodbUri, { readConcern: { level: "majority" } });
    onClose(() => database.close());
    const registryPort = await freePort();
    const registryAddress = `127.0.0.1:${registryPort}`;
    const spec = registrySpec({
      ...{ mongodbUri, natsUrl: messages.url, registryPort, registryOperationsPort: await freePort() },
      ...{ edgePort: 0, edgeOperationsPort: 0, notifierOperationsPort: 0 },
    });
    const processes = { registry: await service(spec), database: pidOf(server) };
    const registry = connectRegistry(registryAddress);
    onClose(async () => registry.close());
    const bareUri = new URL(server.url);
    bareUri.pathname = "/bare";
    return {
      databaseKind: server.kind,
      registry,
      registryAddress,
      processes,
      database,
      bareUri: bareUri.href,
      onClose,
      close,
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
