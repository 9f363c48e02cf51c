import path from "node:path";
import { packClient } from "../../client-package/pack-client.ts";
import { freePort } from "../servers/free-port.ts";
import { startLimitedDatabase } from "../servers/limit-transactions.ts";
import { startNats } from "../servers/nats-server.ts";
import { allStarted } from "./all-started.ts";
import { withCallerVariables } from "./caller-variables.ts";
import type { DataFolder } from "./data-folder.ts";
import type { LocalSecrets } from "./local-secrets.ts";
import { type ServiceSpec, startService } from "./service-process.ts";
import {
  databaseUri,
  demoShopSpec,
  edgeSpec,
  notifierSpec,
  receiverSpec,
  registrySpec,
  type StackAddresses,
} from "./service-specs.ts";
import type { StartOptions } from "./start-options.ts";
import { type SupervisedProcess, supervise } from "./supervise.ts";

/** Options of {@link runStack}. */
interface StackSetup {
  readonly options: Pick<StartOptions, "edgePort" | "registryPort" | "receiverPort" | "shopPort" | "watch">;
  readonly folder: DataFolder;
  readonly secrets: LocalSecrets;
  /** Kind of database server at the previous start. Undefined on the first start. */
  readonly previousDatabaseServer: string | undefined;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The demo's servers, services, receiver and shop, each in a process of its own that is restarted when it exits. */
export type RunningStack = Awaited<ReturnType<typeof runStack>>;

const host = "127.0.0.1";
const stopOrder = ["demo-shop", "receiver", "notifier", "edge", "registry", "nats", "database"] as const;

type PartName = (typeof stopOrder)[number];

/**
 * Starts the servers and the services.
 *
 * @throws SetupError when a part cannot be installed or started, another Error when the client library cannot be
 * packed, or the reason of `signal` when the signal aborts; all processes are stopped first
 */
export async function runStack(setup: StackSetup) {
  const { options, folder, secrets, log, signal } = setup;
  const stops = new Map<PartName, () => Promise<void>>();
  const stop = async () => {
    for (const name of stopOrder) await stops.get(name)?.();
  };
  const startSupervised = async <Process extends SupervisedProcess>(
    name: PartName,
    start: (isRestart: boolean) => Promise<Process>,
  ): Promise<Process> => {
    const { first, stop: stopPart } = await supervise(name, start, log);
    stops.set(name, stopPart);
    return first;
  };
  const logFile = (name: string) => path.join(folder.logs, `${name}.log`);
  const serverOptions = (name: string, dataDir: string, port: number, isRestart: boolean) => {
    return { dataDir, port, log: isRestart ? () => undefined : log, logFile: logFile(name), signal };
  };
  const runService = async (name: PartName, spec: ServiceSpec) => {
    const { env, messages } = withCallerVariables(spec, process.env);
    messages.forEach(log);
    const watched = { ...spec, env, ...(name === options.watch && { nodeArgs: watchArgs(name) }) };
    await startSupervised(name, () => startService(watched, logFile(name), signal));
    log(`${name} is ready.`);
  };
  try {
    const databasePort = await freePort();
    const natsPort = await freePort();
    const previousKind = setup.previousDatabaseServer;
    const starting = {
      database: startSupervised("database", (isRestart) =>
        startLimitedDatabase({ ...serverOptions("database", folder.database, databasePort, isRestart), previousKind }),
      ),
      nats: startSupervised("nats", (isRestart) =>
        startNats(serverOptions("nats", folder.messages, natsPort, isRestart)),
      ),
    };
    // The edge serves the client library only if its package exists when the edge starts.
    await allStarted<unknown>([...Object.values(starting), packClient()]);
    const [database, nats] = [await starting.database, await starting.nats];
    const addresses: StackAddresses = {
      mongodbUri: databaseUri(database.url),
      natsUrl: nats.url,
      registryPort: options.registryPort,
      registryOperationsPort: await freePort(),
      edgePort: options.edgePort,
      edgeOperationsPort: await freePort(),
      notifierOperationsPort: await freePort(),
    };
    // Started concurrently, because each service can start before the others are ready.
    await allStarted([
      runService("registry", withAutomationEvents(registrySpec(addresses, secrets))),
      runService("edge", edgeSpec(addresses, secrets)),
      runService("notifier", notifierSpec(addresses, secrets)),
    ]);
    const received = path.join(folder.logs, "received.jsonl");
    const receiverFiles = { ...secrets.receiver, log: received };
    const shopFiles = {
      facts: folder.demoFile,
      signingSecret: secrets.receiver.secret,
      received,
      mirror: path.join(folder.mirror, "mirror.db"),
      cert: secrets.receiver.cert,
      key: secrets.receiver.key,
    };
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
      demoShopUrl: `http://${host}:${options.shopPort}/`,
      startReceiver: () => runService("receiver", receiverSpec(options.receiverPort, receiverFiles)),
      startDemoShop: () => runService("demo-shop", demoShopSpec(options.shopPort, shopFiles)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Turns on automation events, which are off by default, so that they can be tried. */
function withAutomationEvents(spec: ServiceSpec): ServiceSpec {
  return { ...spec, env: { ...spec.env, REGISTRY_AUTOMATION_EVENTS: "on" } };
}

function watchArgs(service: string): string[] {
  return [`services/${service}`, "services/shared", "proto/gen"].map((folder) => `--watch-path=${folder}`);
}
