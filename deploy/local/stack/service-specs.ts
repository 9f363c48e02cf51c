import { acceptsConnections, reportsReady, type ServiceSpec } from "./service-process.ts";

/** Addresses of the parts of one local stack. All parts listen on 127.0.0.1. */
export interface StackAddresses {
  readonly mongodbUri: string;
  readonly natsUrl: string;
  readonly registryPort: number;
  readonly registryOperationsPort: number;
  readonly edgePort: number;
  readonly edgeOperationsPort: number;
  readonly notifierOperationsPort: number;
}

const host = "127.0.0.1";
// Receivers listen on this machine; other non-public addresses remain blocked.
const ownNetworks = "127.0.0.0/8,::1/128";
const ownHosts = "localhost";

/** Returns the connection string of the registry's database on a server. */
export function databaseUri(serverUrl: string): string {
  const url = new URL(serverUrl);
  if (url.pathname === "" || url.pathname === "/") url.pathname = "/certificate_registry";
  return url.href;
}

/**
 * Returns the process specification of the registry.
 *
 * @param secretKeyFile file with the key that encrypts the stored secrets
 */
export function registrySpec(at: StackAddresses, secretKeyFile: string): ServiceSpec {
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
      REGISTRY_HOST: host,
      REGISTRY_PORT: String(at.registryPort),
      REGISTRY_OPERATIONS_PORT: String(at.registryOperationsPort),
    },
    isReady: () => reportsReady(at.registryOperationsPort),
  };
}

/** Returns the process specification of the edge. @param cursorKeyFile file with the key that encrypts cursors */
export function edgeSpec(at: StackAddresses, cursorKeyFile: string): ServiceSpec {
  return {
    name: "edge",
    script: "services/edge/main.ts",
    env: {
      EDGE_REGISTRY_ADDRESS: `${host}:${at.registryPort}`,
      EDGE_CURSOR_KEY_FILES: cursorKeyFile,
      EDGE_HOST: host,
      EDGE_PORT: String(at.edgePort),
      EDGE_OPERATIONS_PORT: String(at.edgeOperationsPort),
    },
    isReady: () => reportsReady(at.edgeOperationsPort),
  };
}

/** Returns the process specification of the notifier. @param extraCaFile PEM file of additional authorities */
export function notifierSpec(at: StackAddresses, extraCaFile: string): ServiceSpec {
  return {
    name: "notifier",
    script: "services/notifier/main.ts",
    env: {
      NOTIFIER_REGISTRY_ADDRESS: `${host}:${at.registryPort}`,
      NOTIFIER_NATS_SERVERS: at.natsUrl,
      NOTIFIER_EXTRA_CA_FILE: extraCaFile,
      NOTIFIER_ALLOWED_NETWORKS: ownNetworks,
      NOTIFIER_ALLOWED_HOSTS: ownHosts,
      NOTIFIER_HOST: host,
      NOTIFIER_OPERATIONS_PORT: String(at.notifierOperationsPort),
    },
    isReady: () => reportsReady(at.notifierOperationsPort),
  };
}

/** File names of the demo receiver. */
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
