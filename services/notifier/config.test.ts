import { expect, test } from "vitest";
import { notifierConfig } from "./config.ts";

const required = {
  NOTIFIER_REGISTRY_ADDRESS: "registry:9090",
  NOTIFIER_NATS_SERVERS: "nats://a:4222, nats://b:4222",
};

test("requires only the registry's address and the NATS servers", () => {
  expect(notifierConfig.load(required)).toEqual({
    registryAddress: "registry:9090",
    natsServers: ["nats://a:4222", "nats://b:4222"],
    grpcTls: "on",
    grpcCertDomain: "certificate-registry.internal",
    host: "0.0.0.0",
    operationsPort: 9081,
    tlsGroups: "X25519:P-256:P-384",
    tlsSessionMs: 300_000,
    allowedNetworks: [],
    allowedHosts: [],
    refusedNetworks: [],
    dnsServers: [],
    concurrencyMax: 256,
    storeConcurrencyMax: 8,
    triggerConcurrencyMax: 32,
    triggerPollMs: 1_000,
    replyTimeoutMs: 8_000,
    shutdownGraceMs: 20_000,
    logLevel: "info",
    otelTracesSamplerArg: 0.05,
  });
});

test.each([
  ["NOTIFIER_REGISTRY_ADDRESS", ""],
  ["NOTIFIER_NATS_SERVERS", ""],
  ["NOTIFIER_NATS_SERVERS", " , "],
  ["NOTIFIER_TLS_GROUPS", "X25519:P-255"],
  ["NOTIFIER_TLS_GROUPS", "auto"],
  ["NOTIFIER_ALLOWED_NETWORKS", "0.0.0.0/0"],
  ["NOTIFIER_ALLOWED_NETWORKS", "10.0.0.0/8,off"],
  ["NOTIFIER_ALLOWED_HOSTS", "*"],
  ["NOTIFIER_REFUSED_NETWORKS", "10.0.0.1"],
  ["NOTIFIER_DNS_SERVERS", "dns.example"],
  ["NOTIFIER_DNS_SERVERS", "127.0.0.1:99999999"],
  ["NOTIFIER_EGRESS_PROXY", "proxy.example:3128"],
  ["NOTIFIER_EGRESS_PROXY", "https://proxy.example:3128"],
  ["NOTIFIER_EGRESS_PROXY", "http://user:hidden@proxy.example:3128"],
  ["NOTIFIER_EGRESS_PROXY", "http://proxy.example:3128/path"],
  ["NOTIFIER_CONCURRENCY_MAX", "31"],
  ["NOTIFIER_STORE_CONCURRENCY_MAX", "0"],
  ["NOTIFIER_REPLY_TIMEOUT_MS", "8s"],
])("rejects %s=%j and names the variable", (name, value) => {
  expect(() => notifierConfig.load({ ...required, [name]: value })).toThrow(name);
});

test.each([
  ["http://proxy.example:3128", { host: "proxy.example", port: 3_128 }],
  ["http://proxy.example", { host: "proxy.example", port: 80 }],
  ["http://[fd00::1]:3128/", { host: "fd00::1", port: 3_128 }],
])("parses the egress proxy %s", (text, proxy) => {
  expect(notifierConfig.load({ ...required, NOTIFIER_EGRESS_PROXY: text }).egressProxy).toEqual(proxy);
});
