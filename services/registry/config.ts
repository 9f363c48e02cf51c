import { z } from "zod";
import { hostList } from "#shared/address-guard/host-name.ts";
import { allowedNetworkList, networkList } from "#shared/address-guard/network.ts";
import { defineConfig } from "#shared/config/service-config.ts";
import {
  delayMs,
  listenHost,
  logLevel,
  milliseconds,
  nonEmptyList,
  oneOf,
  portNumber,
  readableFromFile,
  wholeNumber,
} from "#shared/config/variable-types.ts";
import { natsVariables } from "#shared/nats/nats-variables.ts";
import { grpcVariables } from "#shared/rpc/grpc-variables.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { otelVariables } from "#shared/trace/otel-variables.ts";
import { baseUrl, signInVariables } from "./sign-in-variables.ts";
import { defaultRetryPolicy } from "./triggers/retry-policy.ts";
import { defaultRetention } from "./values/retention.ts";

const days = (min: number) => wholeNumber(min, 3_650);

/** The registry's configuration, with the documentation of each variable. */
export const registryConfig = defineConfig("REGISTRY", {
  mongodbUri: readableFromFile(
    z
      .string()
      .regex(/^mongodb(\+srv)?:\/\//, "must be a MongoDB connection string")
      .describe(
        "MongoDB connection string with a database name; options that weaken read or write guarantees are refused",
      ),
  ),
  ...natsVariables,
  verifyBaseUrl: baseUrl
    .refine(({ length }) => length <= textLimits.url.max, `must have at most ${textLimits.url.max} characters`)
    .describe("Base URL of the service's own verification pages"),
  secretKeyFiles: nonEmptyList("file").describe(
    "Key files of at least 32 bytes each, comma-separated; the first encrypts secrets, and all can decrypt them",
  ),
  host: listenHost,
  port: portNumber.default(9_090).describe("gRPC port; also serves grpc.health.v1 and reflection"),
  ...grpcVariables,
  operationsPort: portNumber.default(9_082).describe("Port of /livez, /readyz and /metrics"),
  apiPort: portNumber.default(9_083).describe("Port of the operator API over HTTP/JSON (Connect)"),
  operatorsFile: z
    .string()
    .optional()
    .describe("JSON file that lists the operators, read again when it changes; if unset, the operator API is off"),
  apiCertFile: z
    .string()
    .optional()
    .describe(
      "PEM file with the operator API's certificate and its intermediates; if unset, the API uses HTTP without TLS",
    ),
  apiKeyFile: z.string().optional().describe("PEM file with the operator API certificate's private key"),
  allowedNetworks: allowedNetworkList
    .default([])
    .describe("Non-public networks (CIDR) that webhook URLs may point to; must match the notifier's setting"),
  allowedHosts: hostList
    .default([])
    .describe("Internal host names that webhook URLs may contain; .corp.internal matches every name below it"),
  refusedNetworks: networkList
    .default([])
    .describe(
      "Networks (CIDR) that webhook URLs must not point to, even in allowed networks; must match the notifier's setting",
    ),
  ...signInVariables,
  rateLimit: wholeNumber(1, 10_000).default(120).describe("Maximum API requests per store in a rate-limit window"),
  rateLimitWindowMs: milliseconds.default(60_000).describe("Length of the rate-limit window"),
  listConcurrency: wholeNumber(1, 1_000)
    .default(10)
    .describe("Maximum list requests that a replica works on at a time; further requests wait, or fail with 503"),
  listConcurrencyPerStore: wholeNumber(1, 1_000)
    .default(4)
    .describe("Maximum list requests per store that a replica works on at a time"),
  pageReads: oneOf(["auto", "snapshot", "transaction"])
    .default("auto")
    .describe(
      "How pages are read at one time: snapshot, transaction (costs more), or auto (snapshot if the server keeps them)",
    ),
  changeConcurrency: wholeNumber(1, 1_000)
    .default(16)
    .describe("Maximum change transactions that a replica runs at a time, at most one per store"),
  streamReplicas: wholeNumber(1, 5)
    .refine((count) => count % 2 === 1, "must be 1, 3 or 5")
    .meta({ enum: [1, 3, 5] })
    .default(1)
    .describe(
      "Copies of each message in JetStream: 1, 3 or 5, each on its own server; must be the same in all replicas",
    ),
  storeWindow: wholeNumber(1, 1_000)
    .default(16)
    .describe("Maximum events per store in the stream; further events wait in the outbox"),
  automationEvents: oneOf(["on", "off"])
    .default("off")
    .describe("Whether events are published as CloudEvents to the stream AUTOMATION; must be the same in all replicas"),
  automationRetentionDays: days(1).default(7).describe("Days for which the stream AUTOMATION keeps events"),
  automationBytesMax: wholeNumber(1_048_576, 1_099_511_627_776)
    .default(268_435_456)
    .describe("Maximum size of the stream AUTOMATION in bytes; the oldest events are deleted first"),
  triggerRetryBaseMs: milliseconds
    .default(defaultRetryPolicy.baseMs)
    .describe(
      "Delay after the first failed attempt for a workflow trigger; doubles up to 1/24 of the horizon, at most an hour",
    ),
  triggerHorizonMs: milliseconds
    .default(defaultRetryPolicy.horizonMs)
    .describe(
      "How long a workflow trigger's event is retried; if the trigger delivers no event meanwhile, it is disabled",
    ),
  deliveryLogDays: days(7)
    .default(defaultRetention.deliveryLogDays)
    .describe("Days for which the delivery log is kept; must be the same in all replicas"),
  quarantineDays: days(1)
    .default(defaultRetention.quarantineDays)
    .describe("Days for which quarantined messages are kept; must be the same in all replicas"),
  closedReportDays: days(1)
    .default(defaultRetention.closedReportDays)
    .describe("Days for which closed problem reports are kept; must be the same in all replicas"),
  storefrontDays: days(7)
    .default(defaultRetention.storefrontDays)
    .describe(
      "Days for which messages and orders from storefront platforms are kept; must be the same in all replicas",
    ),
  shutdownDelayMs: delayMs.default(0).describe("Delay between reporting not ready and refusing new calls"),
  shutdownGraceMs: milliseconds.default(10_000).describe("Grace period for calls in progress at shutdown"),
  ...otelVariables,
  logLevel,
});

/** The registry's parsed configuration. */
export type RegistryConfig = ReturnType<typeof registryConfig.load>;
