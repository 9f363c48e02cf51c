import { z } from "zod";
import { hostList } from "#shared/address-guard/host-name.ts";
import { allowedNetworkList, networkList } from "#shared/address-guard/network.ts";
import { commaSeparated, loadConfig, milliseconds, portNumber } from "#shared/config/load-config.ts";
import { parseEgressProxy } from "./webhook/egress-proxy.ts";
import { areNameServers } from "./webhook/resolve-addresses.ts";
import { areTlsGroups, defaultGroups } from "./webhook/secure-context.ts";

const egressProxy = z.string().transform((text, context) => {
  const proxy = parseEgressProxy(text);
  if (proxy === undefined) context.addIssue("is not http://host:port alone");
  return proxy;
});

const schema = z.object({
  /** The registry's gRPC address: `host:port`, or `dns:///host:port` to balance. Required. */
  NOTIFIER_REGISTRY_ADDRESS: z.string(),
  /** NATS servers, separated by commas. Required. */
  NOTIFIER_NATS_SERVERS: commaSeparated.refine((servers) => servers.length > 0, "names no server"),
  NOTIFIER_HOST: z.string().default("0.0.0.0"),
  /** Probes and metrics. */
  NOTIFIER_OPERATIONS_PORT: portNumber.default(9081),
  /** A PEM file with authorities that are trusted beside the public ones. */
  NOTIFIER_EXTRA_CA_FILE: z.string().optional(),
  /** Groups for the key exchange of TLS, the best first, as OpenSSL names them. Default: no post-quantum hybrids. */
  NOTIFIER_TLS_GROUPS: z
    .string()
    .refine(areTlsGroups, "names a group that is not known")
    .default(defaultGroups),
  /** Networks to which messages may go though they are not public, in CIDR notation. Default none. */
  NOTIFIER_ALLOWED_NETWORKS: allowedNetworkList.default([]),
  /** Internal names to which messages may go if their addresses are allowed; a leading dot: all that end so. Default none. */
  NOTIFIER_ALLOWED_HOSTS: hostList.default([]),
  /** Networks to which no message may go though they are public. Default none. */
  NOTIFIER_REFUSED_NETWORKS: networkList.default([]),
  /** Name servers, `address` or `address:port`. Default the system's. */
  NOTIFIER_DNS_SERVERS: commaSeparated
    .refine(areNameServers, "names something that is no address")
    .default([]),
  /** An HTTP proxy through which all messages go: `http://host:port`. Default none. */
  NOTIFIER_EGRESS_PROXY: egressProxy.optional(),
  /**
   * Deliveries under way and messages asked for, at the same time; as many more may wait for their store. At least 32:
   * each of the 16 partitions keeps asking for one, and as many are left for the busy.
   */
  NOTIFIER_CONCURRENCY_MAX: z.coerce.number().int().min(32).max(10_000).default(256),
  /**
   * Deliveries under way to one store at the same time. Stores whose receivers are slow have one each, and a quarter of
   * all together; those of which nothing is known have two each, and an eighth.
   */
  NOTIFIER_STORE_CONCURRENCY_MAX: z.coerce.number().int().min(1).max(1_000).default(8),
  /** From the last byte sent to the complete status line (INTERFACE.md §6, rule 1). */
  NOTIFIER_REPLY_TIMEOUT_MS: milliseconds.default(8_000),
  /** Copies of each message in JetStream; the same as the registry's. */
  NOTIFIER_STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  NOTIFIER_SHUTDOWN_GRACE_MS: milliseconds.default(20_000),
  NOTIFIER_LOG_LEVEL: z.string().default("info"),
});

/** The notifier's configuration. */
export type NotifierConfig = z.output<typeof schema>;

/** Reads it from environment variables. @throws ConfigError naming each variable at fault */
export function notifierConfig(env: Readonly<Record<string, string | undefined>>): NotifierConfig {
  return loadConfig(schema, env);
}
