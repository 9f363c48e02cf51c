import { expect, test } from "vitest";
import { ConfigError } from "#shared/config/config-error.ts";
import { registryConfig } from "./config.ts";

const required = {
  REGISTRY_MONGODB_URI: "mongodb://127.0.0.1/registry",
  REGISTRY_NATS_SERVERS: "nats://a:4222, nats://b:4222,",
  REGISTRY_VERIFY_BASE_URL: "https://verify.example.test/c//",
  REGISTRY_SECRET_KEY_FILES: "/keys/new, /keys/old",
};

test("registryConfig.load applies defaults to optional variables", () => {
  expect(registryConfig.load(required)).toEqual({
    mongodbUri: "mongodb://127.0.0.1/registry",
    natsServers: ["nats://a:4222", "nats://b:4222"],
    verifyBaseUrl: "https://verify.example.test/c",
    secretKeyFiles: ["/keys/new", "/keys/old"],
    apiPort: 9083,
    grpcTls: "on",
    grpcCertDomain: "certificate-registry.internal",
    host: "0.0.0.0",
    port: 9090,
    operationsPort: 9082,
    allowedNetworks: [],
    allowedHosts: [],
    refusedNetworks: [],
    sessionLifeMs: 7_200_000,
    automationEvents: "off",
    automationRetentionDays: 7,
    automationBytesMax: 268_435_456,
    triggerRetryBaseMs: 10_000,
    triggerHorizonMs: 86_400_000,
    deliveryLogDays: 30,
    quarantineDays: 30,
    closedReportDays: 1_095,
    storefrontDays: 90,
    rateLimit: 120,
    rateLimitWindowMs: 60_000,
    listConcurrency: 10,
    listConcurrencyPerStore: 4,
    pageReads: "auto",
    changeConcurrency: 16,
    storeWindow: 16,
    streamReplicas: 1,
    shutdownDelayMs: 0,
    shutdownGraceMs: 10_000,
    logLevel: "info",
    otelTracesSamplerArg: 0.05,
  });
});

test("registryConfig.load names every missing variable", () => {
  expect(() => registryConfig.load({})).toThrow(
    /REGISTRY_MONGODB_URI is not set; REGISTRY_NATS_SERVERS is not set; REGISTRY_VERIFY_BASE_URL is not set; REGISTRY_SECRET_KEY_FILES is not set$/,
  );
});

test.each([
  ["REGISTRY_MONGODB_URI", "http://user:hunter2@example.test"],
  ["REGISTRY_NATS_SERVERS", " , "],
  ["REGISTRY_VERIFY_BASE_URL", "verify"],
  ["REGISTRY_SECRET_KEY_FILES", ","],
  ["REGISTRY_PORT", "65536"],
  ["REGISTRY_ALLOWED_NETWORKS", "0.0.0.0/0"],
  ["REGISTRY_ALLOWED_NETWORKS", "hunter2"],
  ["REGISTRY_ALLOWED_HOSTS", "https://localhost"],
  ["REGISTRY_REFUSED_NETWORKS", "10.0.0.1/8"],
  ["REGISTRY_RATE_LIMIT", "0"],
  ["REGISTRY_RATE_LIMIT_WINDOW_MS", "1.5"],
  ["REGISTRY_STREAM_REPLICAS", "6"],
  ["REGISTRY_SETTINGS_BASE_URL", "https://verify.example.test/certificates/settings"],
  ["REGISTRY_SETTINGS_BASE_URL", "https://verify.example.test"],
  ["REGISTRY_SETTINGS_BASE_URL", "settings"],
])("registryConfig.load rejects %s=%j, naming the variable but not its value", (name, value) => {
  const load = () => registryConfig.load({ ...required, [name]: value });
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(`${name} `);
  expect(load).not.toThrow("hunter2");
});

test("registryConfig.load takes the settings of another host, at its root", () => {
  const env = { ...required, REGISTRY_SETTINGS_BASE_URL: "https://Admin.example.test:8443/settings/" };
  expect(registryConfig.load(env).settingsBaseUrl).toBe("https://admin.example.test:8443/settings");
});

test("registryConfig.load normalizes and checks the base URL of the verification pages", () => {
  const load = (url: string) => registryConfig.load({ ...required, REGISTRY_VERIFY_BASE_URL: url }).verifyBaseUrl;
  expect(load("HTTPS://Verify.Example.Test:443/é//")).toBe("https://verify.example.test/%C3%A9");
  expect(() => load("ftp://verify.example.test")).toThrow("must be an http:// or https:// URL");
  for (const url of ["https://verify.example.test?a=b", "https://verify.example.test/#a"])
    expect(() => load(url)).toThrow("must not contain a query or a fragment");
  expect(() => load(`https://verify.example.test/${"é".repeat(400)}`)).toThrow("must have at most 2048 characters");
});
