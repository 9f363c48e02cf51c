import { expect, test } from "vitest";
import { notifierConfig } from "./config.ts";

const required = {
  NOTIFIER_REGISTRY_ADDRESS: "registry:9090",
  NOTIFIER_NATS_SERVERS: "nats://a:4222, nats://b:4222",
};

test("two variables are required, the rest has defaults", () => {
  expect(notifierConfig(required)).toEqual({
    NOTIFIER_REGISTRY_ADDRESS: "registry:9090",
    NOTIFIER_NATS_SERVERS: ["nats://a:4222", "nats://b:4222"],
    NOTIFIER_HOST: "0.0.0.0",
    NOTIFIER_OPERATIONS_PORT: 9081,
    NOTIFIER_CONCURRENCY_MAX: 256,
    NOTIFIER_STORE_CONCURRENCY_MAX: 8,
    NOTIFIER_REPLY_TIMEOUT_MS: 8_000,
    NOTIFIER_STREAM_REPLICAS: 1,
    NOTIFIER_SHUTDOWN_GRACE_MS: 20_000,
    NOTIFIER_LOG_LEVEL: "info",
  });
});

test.each([
  ["NOTIFIER_REGISTRY_ADDRESS", ""],
  ["NOTIFIER_NATS_SERVERS", ""],
  ["NOTIFIER_NATS_SERVERS", " , "],
  ["NOTIFIER_CONCURRENCY_MAX", "31"],
  ["NOTIFIER_STORE_CONCURRENCY_MAX", "0"],
  ["NOTIFIER_REPLY_TIMEOUT_MS", "8s"],
  ["NOTIFIER_STREAM_REPLICAS", "6"],
])("%s=%j is refused by name", (name, value) => {
  expect(() => notifierConfig({ ...required, [name]: value })).toThrow(name);
});
