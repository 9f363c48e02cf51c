import { MongoClient } from "mongodb";
import { freePort } from "../../../deploy/local/servers/free-port.ts";
import { allStarted } from "../../../deploy/local/stack/all-started.ts";
import { ensureSecrets, type LocalSecrets } from "../../../deploy/local/stack/local-secrets.ts";
import {
  databaseUri,
  edgeSpec,
  notifierSpec,
  registrySpec,
  type ServiceSecrets,
  type StackAddresses,
} from "../../../deploy/local/stack/service-specs.ts";
import { type Collections, collectionsOf } from "../../../services/registry/mongo/documents/collections.ts";
import { type StackReceiver, startStackReceiver } from "../receiver/start-receiver.ts";
import type { SupervisedProcess } from "../supervisor/supervised-process.ts";
import { Supervisor, type SupervisorOptions } from "../supervisor/supervisor.ts";
import { connectRegistry, type RegistryClients } from "./registry-clients.ts";
import { type StackServer, startStackDatabase, startStackNats } from "./start-servers.ts";

type Variables = Readonly<Record<string, string>>;

/** How one replica of a service differs from the replica that `npm start` starts. */
interface ReplicaOptions {
  /** Main file relative to the project. Default: the service's own. */
  readonly script?: string | undefined;
  /** Additional variables; a function is called at each start. */
  readonly env?: Variables | (() => Variables);
  /** Whether the process sends SIGKILL to itself as part of the test. Default: false. */
  readonly killsItself?: boolean;
}

interface EdgeOptions extends ReplicaOptions {
  /** Index of the only registry that the edge calls. Default: it balances its calls over all registries. */
  readonly registry?: number;
}

/** Options of {@link startStack}. */
export interface StackOptions extends SupervisorOptions {
  /** Database to use. Default: a new database server. */
  readonly mongodbUri?: string | undefined;
  /** Returns the connection string that the registries use, such as that of a proxy. Default: the database's own. */
  readonly registryDatabase?: (mongodbUri: string, supervisor: Supervisor) => Promise<string>;
  /**
   * Whether to build the fast stand-in database, which takes minutes, when no faster server is installed or can be
   * installed. Default false.
   */
  readonly buildFast?: boolean;
  readonly registries?: readonly ReplicaOptions[];
  readonly edges?: readonly EdgeOptions[];
  readonly notifiers?: readonly ReplicaOptions[];
  /** Seed of the receiver's random behaviour. Default: no receiver. */
  readonly receiverSeed?: number;
  /** Log level of the services. Default: their own. */
  readonly logLevel?: string;
  /** Whether the services use mutual TLS for gRPC. Default: true. */
  readonly tls?: boolean;
  /** Time limit of the edges' calls to the registries, in milliseconds. Default: their own. */
  readonly edgeTimeoutMs?: number;
  /** Time limit of the test's gRPC calls to the registries, in milliseconds. Default 30,000. */
  readonly callTimeoutMs?: number;
}

/** A running registry, with clients that call it. */
export interface StackRegistry extends RegistryClients {
  readonly process: SupervisedProcess;
  /** gRPC address, `host:port`. */
  readonly address: string;
  readonly metricsUrl: string;
  /** Creates further clients. */
  connect(): RegistryClients & { close(): void };
}

interface StackEdge {
  readonly process: SupervisedProcess;
  readonly url: string;
  readonly metricsUrl: string;
}

/** New secrets like those of `npm start`, but without gRPC certificates if the stack does not use TLS. */
type StackSecrets = Omit<LocalSecrets, "grpc"> & Pick<ServiceSecrets, "grpc">;

/** The certificate registry on 127.0.0.1: servers and services as separate processes with their own data. */
export interface Stack {
  readonly supervisor: Supervisor;
  readonly secrets: StackSecrets;
  /** Undefined when the caller provided the database. */
  readonly database: StackServer | undefined;
  readonly mongodbUri: string;
  readonly nats: StackServer;
  readonly registries: readonly StackRegistry[];
  readonly edges: readonly StackEdge[];
  readonly notifiers: readonly SupervisedProcess[];
  /** URLs of the notifiers' metrics, in the order of `notifiers`. */
  readonly notifierMetricsUrls: readonly string[];
  readonly receiver: StackReceiver | undefined;
  /** Direct access to the database. */
  readonly collections: Collections;
  /** Ends all processes, and deletes their data unless `keep` is set. */
  close(): Promise<void>;
}

const host = "127.0.0.1";
const keepCompiled = import.meta.resolve("./keep-compiled.ts");

/** Starts a stack. @throws SetupError when a part cannot be installed or started, after ending all other parts */
export async function startStack(options: StackOptions): Promise<Stack> {
  const supervisor = await Supervisor.open(options);
  try {
    return await startParts(supervisor, options);
  } catch (error) {
    await supervisor.close();
    throw error;
  }
}

/** Returns one replica from a list in a {@link Stack}. @throws RangeError when the list has no such element */
export function partOf<Part>(parts: readonly Part[], index = 0): Part {
  const part = parts[index];
  if (part === undefined) throw new RangeError(`the stack has no part ${index + 1} of this kind`);
  return part;
}

/** Returns a stack as one that has a receiver. @throws Error when it was started without `receiverSeed` */
export function withReceiver(stack: Stack): Stack & { readonly receiver: StackReceiver } {
  const { receiver } = stack;
  if (receiver === undefined) throw new Error("the stack has no receiver");
  return { ...stack, receiver };
}

async function startParts(supervisor: Supervisor, options: StackOptions): Promise<Stack> {
  const { logLevel, edgeTimeoutMs } = options;
  const { receiverSeed: seed } = options;
  const made = await ensureSecrets(supervisor.folder);
  const secrets: StackSecrets = (options.tls ?? true) ? made : { ...made, grpc: undefined };
  const startDatabase = () => startStackDatabase(supervisor, options.buildFast ?? false);
  const starting = {
    database: options.mongodbUri === undefined ? startDatabase() : undefined,
    nats: startStackNats(supervisor),
    receiver: seed === undefined ? undefined : startStackReceiver(supervisor, made, seed),
  };
  await allStarted<unknown>(Object.values(starting).flatMap((start) => start ?? []));
  const [database, nats, receiver] = [await starting.database, await starting.nats, await starting.receiver];
  const mongodbUri = databaseUri(options.mongodbUri ?? database?.url ?? "");
  const client = new MongoClient(mongodbUri, { readConcern: { level: "majority" } });
  supervisor.onClose(() => client.close());

  const addressesOf = (ports: Partial<StackAddresses>): StackAddresses => ({
    mongodbUri,
    natsUrl: nats.url,
    registryPort: 0,
    registryOperationsPort: 0,
    edgePort: 0,
    edgeOperationsPort: 0,
    notifierOperationsPort: 0,
    ...ports,
  });
  const startReplica = (
    base: ReturnType<typeof registrySpec>,
    name: string,
    { script = base.script, env = {}, killsItself = false }: ReplicaOptions,
    common: Variables = {},
  ) => {
    const level = logLevel && { [`${base.name.toUpperCase()}_LOG_LEVEL`]: logLevel };
    const specOf = () => {
      const more = typeof env === "function" ? env() : env;
      const variables = { ...base.env, ...level, ...common, ...more };
      return { ...base, script, nodeArgs: ["--import", keepCompiled], env: variables };
    };
    return supervisor.startService(name, specOf, { killsItself });
  };

  const registryDatabase = (await options.registryDatabase?.(mongodbUri, supervisor)) ?? mongodbUri;
  const { registries: registryOptions = [], edges: edgeOptions = [], notifiers: notifierOptions = [] } = options;
  const startRegistry = async (replica: ReplicaOptions, index: number): Promise<StackRegistry> => {
    const [registryPort, registryOperationsPort] = [await freePort(), await freePort()];
    const at = addressesOf({ mongodbUri: registryDatabase, registryPort, registryOperationsPort });
    const spec = registrySpec(at, secrets);
    const process = await startReplica(spec, nameOf("registry", index, registryOptions), replica);
    const address = `${host}:${registryPort}`;
    const connect = () => connectRegistry(address, { timeoutMs: options.callTimeoutMs, grpc: secrets.grpc });
    const { close, ...clients } = connect();
    supervisor.onClose(async () => close());
    return { ...clients, process, address, metricsUrl: metricsUrlOf(registryOperationsPort), connect };
  };
  const registries = await allStarted(registryOptions.map(startRegistry));
  const allRegistries = `ipv4:${registries.map(({ address }) => address).join(",")}`;

  const startEdge = async (replica: EdgeOptions, index: number): Promise<StackEdge> => {
    const [edgePort, edgeOperationsPort] = [await freePort(), await freePort()];
    const spec = edgeSpec(addressesOf({ edgePort, edgeOperationsPort }), secrets);
    const registry = replica.registry === undefined ? allRegistries : partOf(registries, replica.registry).address;
    const limit: Variables = edgeTimeoutMs === undefined ? {} : { EDGE_REGISTRY_TIMEOUT_MS: String(edgeTimeoutMs) };
    const common = { ...limit, EDGE_REGISTRY_ADDRESS: registry };
    return {
      process: await startReplica(spec, nameOf("edge", index, edgeOptions), replica, common),
      url: `http://${host}:${edgePort}`,
      metricsUrl: metricsUrlOf(edgeOperationsPort),
    };
  };
  const edges = await allStarted(edgeOptions.map(startEdge));

  const startNotifier = async (replica: (typeof notifierOptions)[number], index: number) => {
    const notifierOperationsPort = await freePort();
    const spec = notifierSpec(addressesOf({ notifierOperationsPort }), secrets);
    const common = { NOTIFIER_REGISTRY_ADDRESS: allRegistries };
    const process = await startReplica(spec, nameOf("notifier", index, notifierOptions), replica, common);
    return { process, metricsUrl: metricsUrlOf(notifierOperationsPort) };
  };
  const notifiers = await allStarted(notifierOptions.map(startNotifier));
  return {
    supervisor,
    secrets,
    database,
    mongodbUri,
    nats,
    registries,
    edges,
    receiver,
    notifiers: notifiers.map(({ process }) => process),
    notifierMetricsUrls: notifiers.map(({ metricsUrl }) => metricsUrl),
    collections: collectionsOf(client.db()),
    close: () => supervisor.close(),
  };
}

function metricsUrlOf(operationsPort: number): string {
  return `http://${host}:${operationsPort}/metrics`;
}

/** Returns a replica's name, such as `edge` for the only edge, or `edge-1` for the first of several. */
function nameOf(service: string, index: number, replicas: readonly unknown[]): string {
  return replicas.length === 1 ? service : `${service}-${index + 1}`;
}
