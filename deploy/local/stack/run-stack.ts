import path from "node:path";
import { startDatabase } from "../servers/database-server.ts";
import { freePort } from "../servers/free-port.ts";
import { startNats } from "../servers/nats-server.ts";
import type { DataFolder } from "./data-folder.ts";
import { type KeptRunning, keepRunning, type Watched } from "./keep-running.ts";
import type { LocalSecrets } from "./local-secrets.ts";
import { receiverSpec } from "./receiver-spec.ts";
import { type ServiceSpec, startService } from "./service-process.ts";
import { databaseUri, edgeSpec, notifierSpec, registrySpec, type StackAddresses } from "./service-specs.ts";
import type { StartOptions } from "./start-options.ts";

/** What {@link runStack} works with. */
export interface StackSetup {
  readonly options: Pick<StartOptions, "edgePort" | "registryPort" | "receiverPort" | "watch">;
  readonly folder: DataFolder;
  readonly secrets: LocalSecrets;
  /** PEM: the authorities that the notifier trusts beside the public ones. */
  readonly authoritiesFile: string;
  /** The database server of an earlier start: another kind could not read its data. */
  readonly databaseServer: string | undefined;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Servers, services and the demo receiver, each a process of its own and started again when it ends. */
export interface RunningStack {
  /** The kind of database server. */
  readonly databaseServer: string;
  readonly registryAddress: string;
  readonly baseUrl: string;
  /** Where each service tells of itself: `/livez`, `/readyz`, `/metrics`. */
  readonly operationsUrls: { readonly registry: string; readonly edge: string; readonly notifier: string };
  /** Where the receiver takes messages. */
  readonly receiverUrl: string;
  /** Starts the receiver, once its signing secret is there. */
  startReceiver(): Promise<void>;
  /** Stops everything: services first, then servers. */
  stop(): Promise<void>;
}

const host = "127.0.0.1";

/** Starts the stack. @throws SetupError, one sentence, when a part cannot be had or does not start; nothing keeps running then */
export async function runStack(setup: StackSetup): Promise<RunningStack> {
  const { options, folder, secrets, log, signal } = setup;
  const receiverFiles = { ...secrets.receiver, log: path.join(folder.logs, "received.jsonl") };
  const running: KeptRunning[] = [];
  const stop = async () => {
    for (const part of running.toReversed()) await part.stop();
  };
  const keep = async (name: string, start: () => Promise<Watched>) => {
    running.push(await keepRunning(name, start, log));
  };
  const service = async (spec: ServiceSpec) => {
    const logFile = path.join(folder.logs, `${spec.name}.log`);
    const watched = spec.name === options.watch ? { ...spec, nodeArgs: watchArgs(spec.name) } : spec;
    await keep(spec.name, () => startService(watched, logFile, signal));
    log(`${spec.name} is up.`);
  };
  try {
    const databasePort = await freePort();
    const messagesPort = await freePort();
    let database = { kind: "", url: "" };
    let messagesUrl = "";
    const quiet = () => undefined;
    const databaseEnv =
      setup.databaseServer === undefined || setup.databaseServer === "MONGODB_URI"
        ? process.env
        : { ...process.env, REGISTRY_DATABASE_SERVER: setup.databaseServer };
    await keep("database", async () => {
      const server = await startDatabase({
        dataDir: folder.database,
        port: databasePort,
        log: database.url === "" ? log : quiet,
        logFile: path.join(folder.logs, "database.log"),
        env: databaseEnv,
        signal,
      });
      database = server;
      return server;
    });
    await keep("messages", async () => {
      const server = await startNats({
        dataDir: folder.messages,
        port: messagesPort,
        log: messagesUrl === "" ? log : quiet,
        logFile: path.join(folder.logs, "messages.log"),
        signal,
      });
      messagesUrl = server.url;
      return server;
    });
    const addresses: StackAddresses = {
      mongodbUri: databaseUri(database.url),
      natsUrl: messagesUrl,
      registryPort: options.registryPort,
      registryOperationsPort: await freePort(),
      edgePort: options.edgePort,
      edgeOperationsPort: await freePort(),
      notifierOperationsPort: await freePort(),
    };
    await service(registrySpec(addresses, secrets.secretKeyFile));
    await service(edgeSpec(addresses, secrets.cursorKeyFile));
    await service(notifierSpec(addresses, setup.authoritiesFile));
    return {
      databaseServer: database.kind,
      registryAddress: `${host}:${options.registryPort}`,
      baseUrl: `http://${host}:${options.edgePort}`,
      operationsUrls: {
        registry: `http://${host}:${addresses.registryOperationsPort}`,
        edge: `http://${host}:${addresses.edgeOperationsPort}`,
        notifier: `http://${host}:${addresses.notifierOperationsPort}`,
      },
      receiverUrl: `https://${host}:${options.receiverPort}/webhooks`,
      startReceiver: () => service(receiverSpec(options.receiverPort, receiverFiles)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function watchArgs(service: string): string[] {
  return [`services/${service}`, "services/shared", "proto/gen"].map((folder) => `--watch-path=${folder}`);
}
