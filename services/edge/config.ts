import { z } from "zod";
import { type Network, networkList } from "#shared/address-guard/network.ts";
import { commaSeparated, loadConfig, milliseconds, portNumber } from "#shared/config/load-config.ts";

const variables = z.object({
  EDGE_HOST: z.string().default("0.0.0.0"),
  EDGE_PORT: portNumber.default(8_080),
  EDGE_OPERATIONS_PORT: portNumber.default(9_080),
  EDGE_REGISTRY_ADDRESS: z
    .string()
    .regex(/^(?:dns:\/\/\/)?[^\s/]+:[0-9]{1,5}$/, "must be host:port or dns:///host:port"),
  EDGE_REGISTRY_TIMEOUT_MS: milliseconds.default(5_000),
  EDGE_CURSOR_KEY_FILES: commaSeparated.pipe(z.array(z.string()).min(1, "must name at least one file")),
  EDGE_TRUSTED_PROXIES: networkList.default([]),
  EDGE_CONNECTIONS_MAX: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  EDGE_CONNECTIONS_PER_ADDRESS_MAX: z.coerce.number().int().min(1).max(1_000_000).default(1_000),
  EDGE_HEADERS_TIMEOUT_MS: milliseconds.default(10_000),
  EDGE_REQUEST_TIMEOUT_MS: milliseconds.default(15_000),
  EDGE_KEEP_ALIVE_TIMEOUT_MS: milliseconds.default(65_000),
  EDGE_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  EDGE_SHUTDOWN_DELAY_MS: z.coerce.number().int().min(0).max(600_000).default(0),
  EDGE_SHUTDOWN_GRACE_MS: milliseconds.default(10_000),
});

/** The edge's configuration. */
export interface EdgeConfig {
  /** Address to listen on, for the API and for operations. Default all of them. */
  readonly host: string;
  /** The API's port. Default 8080; 0 takes a free one. */
  readonly port: number;
  /** The port of /livez, /readyz and /metrics. Default 9080; 0 takes a free one. */
  readonly operationsPort: number;
  /** `host:port`, or `dns:///host:port` to balance over the registry's pods. Required. */
  readonly registryAddress: string;
  /** How long one call to the registry may take. Default 5,000. */
  readonly registryTimeoutMs: number;
  /** Files with the cursors' keys, each at least 32 bytes: the first one signs, all verify. Required. */
  readonly cursorKeyFiles: readonly string[];
  /** Whose `X-Forwarded-For` is believed, and who may have any number of connections. Default nobody. */
  readonly trustedProxies: readonly Network[];
  /** Connections at the same time. Default 10,000. */
  readonly connectionsMax: number;
  /** Those of one address, or of one IPv6 /64. Default 1,000. */
  readonly connectionsPerAddressMax: number;
  /** From the connection, or the end of the last request, to the end of the headers. Default 10,000. */
  readonly headersTimeoutMs: number;
  /** To the end of the whole request. Default 15,000. */
  readonly requestTimeoutMs: number;
  /** How long a connection may stay open between two requests. Default 65,000. */
  readonly keepAliveTimeoutMs: number;
  /** Default `info`. */
  readonly logLevel: z.output<typeof variables>["EDGE_LOG_LEVEL"];
  /** How long to go on accepting after being told to stop, until nobody sends requests here any more. Default 0. */
  readonly shutdownDelayMs: number;
  /** How long requests under way may take to finish when stopping. Default 10,000. */
  readonly shutdownGraceMs: number;
}

/**
 * Reads the edge's configuration from the environment.
 *
 * @throws ConfigError naming every variable at fault
 */
export function loadEdgeConfig(env: Readonly<Record<string, string | undefined>>): EdgeConfig {
  const values = loadConfig(variables, env);
  return {
    host: values.EDGE_HOST,
    port: values.EDGE_PORT,
    operationsPort: values.EDGE_OPERATIONS_PORT,
    registryAddress: values.EDGE_REGISTRY_ADDRESS,
    registryTimeoutMs: values.EDGE_REGISTRY_TIMEOUT_MS,
    cursorKeyFiles: values.EDGE_CURSOR_KEY_FILES,
    trustedProxies: values.EDGE_TRUSTED_PROXIES,
    connectionsMax: values.EDGE_CONNECTIONS_MAX,
    connectionsPerAddressMax: values.EDGE_CONNECTIONS_PER_ADDRESS_MAX,
    headersTimeoutMs: values.EDGE_HEADERS_TIMEOUT_MS,
    requestTimeoutMs: values.EDGE_REQUEST_TIMEOUT_MS,
    keepAliveTimeoutMs: values.EDGE_KEEP_ALIVE_TIMEOUT_MS,
    logLevel: values.EDGE_LOG_LEVEL,
    shutdownDelayMs: values.EDGE_SHUTDOWN_DELAY_MS,
    shutdownGraceMs: values.EDGE_SHUTDOWN_GRACE_MS,
  };
}
