import { withDefaultDatabase } from "../servers/with-database.ts";
import type { GrpcCertificates, GrpcFiles } from "./grpc-certificates.ts";
import { acceptsConnections, reportsReady, type ServiceSpec } from "./service-process.ts";

/** Addresses of the parts of one local stack. The services listen on 127.0.0.1. */
export interface StackAddresses {
  readonly mongodbUri: string;
  readonly natsUrl: string;
  readonly registryPort: number;
  readonly registryOperationsPort: number;
  readonly edgePort: number;
  readonly edgeOperationsPort: number;
  readonly notifierOperationsPort: number;
}

/** Paths of the files with the services' keys and certificates. */
export interface ServiceSecrets {
  /** Key that encrypts the list's cursors. */
  readonly cursorKeyFile: string;
  /** Key that encrypts the secrets in the database. */
  readonly secretKeyFile: string;
  /** The secret that signs the storefront platform's webhooks. */
  readonly platformSecretFile: string;
  /** PEM file of the certificate authorities that the notifier trusts in addition to the public ones. */
  readonly caFile: string;
  /** Undefined if gRPC is used without TLS. */
  readonly grpc: GrpcCertificates | undefined;
}

const host = "127.0.0.1";
// Receivers listen on this machine; other non-public addresses remain blocked.
const ownNetworks = "127.0.0.0/8,::1/128";
const ownHosts = "localhost";

/** Returns `serverUrl` with the database `certificate_registry`, unless it already names a database. */
export function databaseUri(serverUrl: string): string {
  return withDefaultDatabase(serverUrl, "certificate_registry");
}

/**
 * Returns the environment variables that turn mutual TLS for gRPC on or off.
 *
 * @param prefix the start of the variables' names, such as `EDGE`
 * @param files undefined to turn TLS off
 */
export function grpcVariablesFor(prefix: string, files: GrpcFiles | undefined): Readonly<Record<string, string>> {
  if (files === undefined) return { [`${prefix}_GRPC_TLS`]: "off" };
  return {
    [`${prefix}_GRPC_TLS`]: "on",
    [`${prefix}_GRPC_CERT_FILE`]: files.cert,
    [`${prefix}_GRPC_KEY_FILE`]: files.key,
    [`${prefix}_GRPC_CA_FILE`]: files.ca,
  };
}

/** Returns the process specification of the registry. */
export function registrySpec(at: StackAddresses, { secretKeyFile, grpc }: ServiceSecrets): ServiceSpec {
  return {
    name: "registry",
    script: "services/registry/main.ts",
    env: {
      REGISTRY_MONGODB_URI: at.mongodbUri,
      REGISTRY_NATS_SERVERS: at.natsUrl,
      REGISTRY_VERIFY_BASE_URL: `http://${host}:${at.edgePort}/verify`,
      REGISTRY_ALLOWED_NETWORKS: ownNetworks,
      REGISTRY_ALLOWED_HOSTS: ownHosts,
      REGISTRY_SECRET_KEY_FILES: secretKeyFile,
      ...grpcVariablesFor("REGISTRY", grpc?.registry),
      REGISTRY_HOST: host,
      REGISTRY_PORT: String(at.registryPort),
      REGISTRY_OPERATIONS_PORT: String(at.registryOperationsPort),
    },
    isReady: () => reportsReady(at.registryOperationsPort),
  };
}

/** Returns the process specification of the edge. */
export function edgeSpec(at: StackAddresses, { cursorKeyFile, platformSecretFile, grpc }: ServiceSecrets): ServiceSpec {
  return {
    name: "edge",
    script: "services/edge/main.ts",
    env: {
      EDGE_REGISTRY_ADDRESS: `${host}:${at.registryPort}`,
      EDGE_CURSOR_KEY_FILES: cursorKeyFile,
      EDGE_PLATFORM_SECRET_FILE: platformSecretFile,
      ...grpcVariablesFor("EDGE", grpc?.edge),
      EDGE_HOST: host,
      EDGE_PORT: String(at.edgePort),
      EDGE_OPERATIONS_PORT: String(at.edgeOperationsPort),
    },
    isReady: () => reportsReady(at.edgeOperationsPort),
  };
}

/** Returns the process specification of the notifier. */
export function notifierSpec(at: StackAddresses, { caFile, grpc }: ServiceSecrets): ServiceSpec {
  return {
    name: "notifier",
    script: "services/notifier/main.ts",
    env: {
      NOTIFIER_REGISTRY_ADDRESS: `${host}:${at.registryPort}`,
      NOTIFIER_NATS_SERVERS: at.natsUrl,
      NOTIFIER_EXTRA_CA_FILE: caFile,
      ...grpcVariablesFor("NOTIFIER", grpc?.notifier),
      NOTIFIER_ALLOWED_NETWORKS: ownNetworks,
      NOTIFIER_ALLOWED_HOSTS: ownHosts,
      NOTIFIER_HOST: host,
      NOTIFIER_OPERATIONS_PORT: String(at.notifierOperationsPort),
    },
    isReady: () => reportsReady(at.notifierOperationsPort),
  };
}

/** Paths of the demo receiver's files. */
export interface ReceiverFiles {
  readonly cert: string;
  readonly key: string;
  /** Contains the signing secret, or two separated by white space during a rotation. */
  readonly secret: string;
  readonly log: string;
}

/** Returns the process specification of the demo receiver on 127.0.0.1. */
export function receiverSpec(port: number, files: ReceiverFiles): ServiceSpec {
  return {
    name: "receiver",
    script: "deploy/local/receiver/main.ts",
    env: {
      RECEIVER_PORT: String(port),
      RECEIVER_CERT_FILE: files.cert,
      RECEIVER_KEY_FILE: files.key,
      RECEIVER_SECRET_FILE: files.secret,
      RECEIVER_LOG_FILE: files.log,
    },
    isReady: () => acceptsConnections(port),
  };
}

/** Paths of the demo shop's files. */
interface DemoShopFiles {
  /** The `demo.json` that `npm start` writes. */
  readonly facts: string;
  readonly signingSecret: string;
  /** The demo receiver's log of messages. */
  readonly received: string;
  /** The SQLite database of the shop's mirror. */
  readonly mirror: string;
  /** Certificate and key of the server of pictures. */
  readonly cert: string;
  readonly key: string;
}

/** Returns the process specification of the demo shop on 127.0.0.1. */
export function demoShopSpec(port: number, files: DemoShopFiles): ServiceSpec {
  return {
    name: "demo-shop",
    script: "deploy/local/demo-shop/main.ts",
    env: {
      DEMO_SHOP_PORT: String(port),
      DEMO_SHOP_FACTS_FILE: files.facts,
      DEMO_SHOP_SIGNING_SECRET_FILE: files.signingSecret,
      DEMO_SHOP_RECEIVED_FILE: files.received,
      DEMO_SHOP_MIRROR_FILE: files.mirror,
      DEMO_SHOP_CERT_FILE: files.cert,
      DEMO_SHOP_KEY_FILE: files.key,
    },
    isReady: () => acceptsConnections(port),
  };
}
