import { z } from "zod";
import { networkList } from "#shared/address-guard/network.ts";
import { defineConfig } from "#shared/config/service-config.ts";
import {
  commaSeparated,
  delayMs,
  file,
  listenHost,
  logLevel,
  milliseconds,
  nonEmptyList,
  portNumber,
  registryAddress,
  wholeNumber,
} from "#shared/config/variable-types.ts";
import { grpcVariables } from "#shared/rpc/grpc-variables.ts";
import { otelVariables } from "#shared/trace/otel-variables.ts";

/** Defines the environment variables of the edge; deploy/CONFIGURATION.md is generated from their descriptions. */
export const edgeConfig = defineConfig("EDGE", {
  registryAddress,
  ...grpcVariables,
  cursorKeyFiles: nonEmptyList("file").describe(
    "Key files (32 bytes or more), comma-separated; the first encrypts cursors and signs forms, all decrypt and verify",
  ),
  host: listenHost,
  port: portNumber.default(8_080).describe("Port of the public API"),
  operationsPort: portNumber.default(9_080).describe("Port of /livez, /readyz and /metrics"),
  registryTimeoutMs: milliseconds
    .default(5_000)
    .describe("Time limit of a request in the edge and the registry; a request that would take longer gets 503"),
  listsMax: wholeNumber(2, 1_000_000)
    .default(2_000)
    .describe(
      "Maximum number of list requests in progress; one API key may use half of the number that other keys leave free",
    ),
  listsPerKeyMin: wholeNumber(1, 10_000)
    .default(4)
    .describe(
      "Lower bound of the limit on concurrent list requests per API key, which shrinks while the registry is overloaded",
    ),
  pageLookupsMax: wholeNumber(1, 100_000)
    .default(64)
    .describe(
      "Maximum number of verification pages and images read from the registry at once; further requests get 503",
    ),
  pagesPerSecondMax: wholeNumber(1, 1_000_000)
    .default(3_000)
    .describe(
      "Maximum number of requests for verification pages and their images per second; further requests get 503",
    ),
  settingsFrameAncestors: commaSeparated
    .refine((origins) => origins.every((origin) => /^https?:\/\/[a-z0-9*.:-]+$/i.test(origin)), {
      error: "must be origins such as https://admin.example or https://*.admin.example",
    })
    .default([])
    .describe("Origins that may embed the merchants' settings in a frame (CSP frame-ancestors), comma-separated"),
  settingsSignInUrl: z
    .string()
    .refine((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ""), {
      error: "must be a URL such as https://admin.example/apps/certificates",
    })
    .optional()
    .describe(
      "Page of the storefront platform's admin that opens the settings; shown to merchants who are not signed in",
    ),
  platformSecretFile: file.describe(
    "File with the secret that signs the storefront platform's webhooks; if unset, the webhook endpoint is disabled",
  ),
  platformOldSecretFile: file.describe(
    "File with the app's previous secret, which is accepted too; unset it once the rotation is complete",
  ),
  trustedProxies: networkList
    .default([])
    .describe(
      "Networks (CIDR) of the ingress, which may set X-Forwarded-For and is exempt from the connection limit per address",
    ),
  connectionsMax: wholeNumber(1, 1_000_000)
    .default(10_000)
    .describe("Maximum number of open connections; each needs a file descriptor (ulimit -n)"),
  connectionsPerAddressMax: wholeNumber(1, 1_000_000)
    .default(1_000)
    .describe("Maximum number of open connections from one IPv4 address or one IPv6 /64 network"),
  headersTimeoutMs: milliseconds
    .default(10_000)
    .describe("Maximum time to receive the headers, from the start of the connection or a later request's first byte"),
  requestTimeoutMs: milliseconds.default(15_000).describe("Maximum time to receive a whole request"),
  keepAliveTimeoutMs: milliseconds
    .default(65_000)
    .describe("Maximum idle time between two requests; must exceed the idle timeout of the ingress"),
  shutdownDelayMs: delayMs.default(0).describe("Delay between reporting not ready and refusing new connections"),
  shutdownGraceMs: milliseconds.default(10_000).describe("Grace period for requests in progress at shutdown"),
  ...otelVariables,
  logLevel,
});

/** The parsed configuration of the edge; durations are in milliseconds. */
export type EdgeConfig = ReturnType<typeof edgeConfig.load>;
