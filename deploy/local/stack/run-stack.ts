import path from "node:path";
import { startDatabase } from "../servers/database-server.ts";
import { freePort } from "../servers/free-port.ts";
import { startNats } from "../servers/nats-server.ts";
import type { DataFolder } from "./data-folder.ts";
import type { LocalSecrets } from "./local-secrets.ts";
import { type ServiceSpec, startService } from "./service-process.ts";
import {
  databaseUri,
  edgeSpec,
  notifierSpec,
  receiverSpec,
  registrySpec,
  type StackAddresses,
} from "./service-specs.ts";
import type { StartOptions } from "./start-options.ts";
import { type SupervisedProcess, supervise } from "./supervise.ts";

/** Options of {@link runStack}. */
export interface StackSetup {
  readonly options: Pick<StartOptions, "edgePort" | "registryPort" | "receiverPort" | "watch">;
  readonly folder: DataFolder;
  readonly secrets: LocalSecrets;
  /** PEM: the authorities that the notifier trusts in addition to the public ones. */
  readonly authoritiesFile: string;
  /** Kind of database server at the previous start. Undefined on the first start. */
  readonly previousDatabaseServer: string | undefined;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Servers, services and the demo receiver: separate processes, each restarted when it exits. */
export interface RunningStack {
  readonly databaseServer: string;
  readonly registryAddress: string;
  readonly baseUrl: string;
  /** Base URLs of each service's `/livez`, `/readyz` and `/metrics`. */
  readonly operationsUrls: { readonly registry: string; readonly edge: string; readonly notifier: string };
  readonly receiverUrl: string;
  /** Starts the receiver; its secret file must exist. */
  startReceiver(): Promise<void>;
  /** Stops all processes in reverse order of their start. */
  stop(): Promise<void>;
}

const host = "127.0.0.1";

/** Starts the stack. @throws SetupError when a part cannot be installed or started, after stopping all other parts */
export async function runStack(setup: StackSetup): Promise<RunningStack> {
  const { options, folder, secrets, log, signal } = setup;
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const stopPart of stops.toReversed()) await stopPart();
  };
  const startSupervised = async <Process extends SupervisedProcess>(
    name: string,
    start: (isRestart: boolean) => Promise<Process>,
  ): Promise<Process> => {
    const { first, stop: stopPart } = await supervise(name, start, log);
    stops.push(stopPart);
    return first;
  };
  const logFile = (name: string) => path.join(folder.logs, `${name}.log`);
  const serverOptions = (name: string, dataDir: string, port: number, isRestart: boolean) => {
    return { dataDir, port, log: isRestart ? () => undefined : log, logFile: logFile(name), signal };
  };
  const runService = async (spec: ServiceSpec) => {
    const watched = spec.name === options.watch ? { ...spec, nodeArgs: watchArgs(spec.name) } : spec;
    await startSupervised(spec.name, () => startService(watched, logFile(spec.name), signal));
    log(`${spec.name} is ready.`);
  };
  try {
    const databasePort = await freePort();
    const natsPort = await freePort();
    const previousKind = setup.previousDatabaseServer;
    const database = await startSupervised("database", (isRestart) =>
      startDatabase({ ...serverOptions("database", folder.database, databasePort, isRestart), previousKind }),
    );
    const nats = await startSupervised("nats", (isRestart) =>
      startNats(serverOptions("nats", folder.messages, natsPort, isRestart)),
    );
    const addresses: StackAddresses = {
      mongodbUri: databaseUri(database.url),
      natsUrl: nats.url,
      registryPort: options.registryPort,
      registryOperationsPort: await freePort(),
      edgePort: options.edgePort,
      edgeOperationsPort: await freePort(),
      notifierOperationsPort: await freePort(),
    };
    await runService(registrySpec(addresses, secrets.secretKeyFile));
    await runService(edgeSpec(addresses, secrets.cursorKeyFile));
    await runService(notifierSpec(addresses, setup.authoritiesFile));
    const receiverFiles = { ...secrets.receiver, log: path.join(folder.logs, "received.jsonl") };
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
      startReceiver: () => runService(receiverSpec(options.receiverPort, receiverFiles)),
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
