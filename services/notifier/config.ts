import { z } from "zod";
import { hostList } from "#shared/address-guard/host-name.ts";
import { allowedNetworkList, networkList } from "#shared/address-guard/network.ts";
import { defineConfig } from "#shared/config/service-config.ts";
import {
  commaSeparated,
  listenHost,
  logLevel,
  milliseconds,
  portNumber,
  registryAddress,
  wholeNumber,
} from "#shared/config/variable-types.ts";
import { natsVariables } from "#shared/nats/nats-variables.ts";
import { grpcVariables } from "#shared/rpc/grpc-variables.ts";
import { otelVariables } from "#shared/trace/otel-variables.ts";
import { parseEgressProxy } from "./webhook/egress-proxy.ts";
import { areNameServers } from "./webhook/resolve-addresses.ts";
import { areTlsGroups, defaultGroups } from "./webhook/secure-context.ts";
import { sessionLifetimeMs } from "./webhook/tls-sessions.ts";

const egressProxy = z.string().transform((text, context) => {
  const proxy = parseEgressProxy(text);
  if (proxy === undefined) context.addIssue("must be http://host:port");
  return proxy;
});

/** The notifier's configuration, with the documentation of each variable. */
export const notifierConfig = defineConfig("NOTIFIER", {
  registryAddress,
  ...grpcVariables,
  ...natsVariables,
  host: listenHost,
  operationsPort: portNumber.default(9_081).describe("Port of /livez, /readyz and /metrics"),
  extraCaFile: z
    .string()
    .optional()
    .describe("PEM file of certificate authorities trusted in addition to the public ones"),
  tlsGroups: z
    .string()
    .refine(areTlsGroups, "must list groups that OpenSSL supports, separated by colons")
    .default(defaultGroups)
    .describe(
      "TLS key exchange groups, colon-separated, preferred first; X25519MLKEM768 costs about 10% more CPU per message",
    ),
  tlsSessionMs: wholeNumber(0, 3_600_000)
    .default(sessionLifetimeMs)
    .describe("How long a TLS session may be resumed after the receiver's certificate was verified; 0: never"),
  allowedNetworks: allowedNetworkList
    .default([])
    .describe("Non-public networks (CIDR) that may receive messages; none larger than 10.0.0.0/8 or fc00::/7"),
  allowedHosts: hostList
    .default([])
    .describe(
      "Internal host names that may receive messages if their addresses may; .corp.internal matches all names below it",
    ),
  refusedNetworks: networkList
    .default([])
    .describe("Networks (CIDR) that must not receive messages; they take precedence over the allowed networks"),
  dnsServers: commaSeparated
    .refine(areNameServers, "must be IP addresses, each with or without a port (address or address:port)")
    .default([])
    .describe("Name servers, comma-separated, as address or address:port; if empty, the system's name servers"),
  egressProxy: egressProxy
    .optional()
    .describe("http://host:port of a CONNECT proxy through which all messages are sent"),
  // With the minimum of 32, the idle pulls of the 16 partitions use one slot each, which leaves 16 for deliveries.
  concurrencyMax: wholeNumber(32, 10_000)
    .default(256)
    .describe("Maximum number of messages requested from NATS or in delivery; as many again may wait for their store"),
  storeConcurrencyMax: wholeNumber(1, 1_000)
    .default(8)
    .describe(
      "Maximum concurrent POSTs of one replica to one store; the actual limit starts at 2, and is 1 for a slow store",
    ),
  triggerConcurrencyMax: wholeNumber(1, 1_000)
    .default(32)
    .describe("Maximum concurrent attempts for workflow triggers, in addition to those for webhook messages"),
  triggerPollMs: milliseconds.default(1_000).describe("Pause between searches for due workflow trigger events"),
  replyTimeoutMs: milliseconds
    .default(8_000)
    .describe("Time limit from the last byte sent to the complete status line (INTERFACE.md §6, rule 1)"),
  shutdownGraceMs: milliseconds.default(20_000).describe("Grace period for attempts in progress at shutdown"),
  ...otelVariables,
  logLevel,
});

/** The notifier's parsed configuration. */
export type NotifierConfig = ReturnType<typeof notifierConfig.load>;
