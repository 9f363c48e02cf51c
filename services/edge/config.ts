import { networkList } from "#shared/address-guard/network.ts";
import { defineConfig } from "#shared/config/service-config.ts";
import {
  delayMs,
  listenHost,
  logLevel,
  milliseconds,
  nonEmptyList,
  portNumber,
  registryAddress,
  wholeNumber,
} from "#shared/config/variable-types.ts";

/** The edge's configuration, with the documentation of each variable. */
export const edgeConfig = defineConfig("EDGE", {
  registryAddress,
  cursorKeyFiles: nonEmptyList("file").describe(
    "Files of at least 32 bytes, comma-separated; the first signs cursors, all of them verify",
  ),
  host: listenHost,
  port: portNumber.default(8_080).describe("Port of the public API"),
  operationsPort: portNumber.default(9_080).describe("Port of /livez, /readyz and /metrics"),
  registryTimeoutMs: milliseconds.default(5_000).describe("Deadline of each call to the registry"),
  trustedProxies: networkList
    .default([])
    .describe("Networks (CIDR) of the ingress: their X-Forwarded-For is trusted, their connections are not limited"),
  connectionsMax: wholeNumber(1, 1_000_000)
    .default(10_000)
    .describe("Open connections; each needs a file descriptor (ulimit -n)"),
  connectionsPerAddressMax: wholeNumber(1, 1_000_000)
    .default(1_000)
    .describe("Open connections of one IPv4 address or one IPv6 /64"),
  headersTimeoutMs: milliseconds
    .default(10_000)
    .describe("From the connection, or the end of the last request, to the end of the headers"),
  requestTimeoutMs: milliseconds.default(15_000).describe("Maximum time to receive a whole request"),
  keepAliveTimeoutMs: milliseconds
    .default(65_000)
    .describe("Idle time of a connection between requests; longer than the ingress's"),
  shutdownDelayMs: delayMs.default(0).describe("Time between not ready and no longer accepting connections"),
  shutdownGraceMs: milliseconds.default(10_000).describe("Time for requests in progress to finish"),
  logLevel,
});

/** The edge's parsed configuration. */
export type EdgeConfig = ReturnType<typeof loadConfig>;

/** Reads the edge's configuration from the environment. @throws ConfigError naming each variable at fault */
export const loadConfig = edgeConfig.load;
