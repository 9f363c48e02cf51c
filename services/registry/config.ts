import { z } from "zod";
import { hostList } from "#shared/address-guard/host-name.ts";
import { allowedNetworkList, networkList } from "#shared/address-guard/network.ts";
import { commaSeparated, loadConfig, milliseconds, portNumber } from "#shared/config/load-config.ts";

const schema = z.object({
  /** A MongoDB connection string that names the database. Required. */
  REGISTRY_MONGODB_URI: z.string().regex(/^mongodb(\+srv)?:\/\//, "is not a MongoDB connection string"),
  /** NATS servers, separated by commas. Required. */
  REGISTRY_NATS_SERVERS: commaSeparated.refine((servers) => servers.length > 0, "names no server"),
  /** The service's own verification address. Required. */
  REGISTRY_VERIFY_BASE_URL: z.url().transform((url) => url.replace(/\/+$/, "")),
  /** Files with keys that encrypt stored secrets, each at least 32 bytes: the first one seals, all open. Required. */
  REGISTRY_SECRET_KEY_FILES: commaSeparated.refine((files) => files.length > 0, "names no file"),
  REGISTRY_HOST: z.string().default("0.0.0.0"),
  /** gRPC. */
  REGISTRY_PORT: portNumber.default(9090),
  /** Probes and metrics. */
  REGISTRY_OPERATIONS_PORT: portNumber.default(9082),
  /** Operations over HTTP/JSON. */
  REGISTRY_API_PORT: portNumber.default(9083),
  /** A JSON file that says who may call them: [{actor, token_sha256, rights}]. Without it they are off. */
  REGISTRY_OPERATORS_FILE: z.string().optional(),
  /** Networks that webhook URLs may name though they are not public, in CIDR notation; the same as the notifier's. */
  REGISTRY_ALLOWED_NETWORKS: allowedNetworkList.default([]),
  /** Internal names that webhook URLs may name; a leading dot: all that end so. The same as the notifier's. */
  REGISTRY_ALLOWED_HOSTS: hostList.default([]),
  /** Networks that webhook URLs may not name though they are public; the same as the notifier's. */
  REGISTRY_REFUSED_NETWORKS: networkList.default([]),
  /** API requests that a window admits. */
  REGISTRY_RATE_LIMIT: z.coerce.number().int().min(1).max(10_000).default(120),
  REGISTRY_RATE_LIMIT_WINDOW_MS: milliseconds.default(60_000),
  /** Copies of each message in JetStream. */
  REGISTRY_STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /** Events of one store that are with the notifiers at the same time; the others wait in the outbox. */
  REGISTRY_STORE_WINDOW: z.coerce.number().int().min(1).max(1_000).default(16),
  REGISTRY_SHUTDOWN_DELAY_MS: z.coerce.number().int().min(0).max(60_000).default(0),
  REGISTRY_SHUTDOWN_GRACE_MS: milliseconds.default(10_000),
  REGISTRY_LOG_LEVEL: z.string().default("info"),
});

/** The registry's configuration. */
export type RegistryConfig = z.output<typeof schema>;

/** Reads it from environment variables. @throws ConfigError naming each variable at fault */
export function registryConfig(env: Readonly<Record<string, string | undefined>>): RegistryConfig {
  return loadConfig(schema, env);
}
