import { expect, test } from "vitest";
import { ConfigError } from "#shared/config/load-config.ts";
import { registryConfig } from "./config.ts";

const required = {
  REGISTRY_MONGODB_URI: "mongodb://127.0.0.1/registry",
  REGISTRY_NATS_SERVERS: "nats://a:4222, nats://b:4222,",
  REGISTRY_VERIFY_BASE_URL: "https://verify.example.test/c//",
  REGISTRY_SECRET_KEY_FILES: "/keys/new, /keys/old",
};

test("what is not required has a working default", () => {
  expect(registryConfig(required)).toEqual({
    REGISTRY_MONGODB_URI: "mongodb://127.0.0.1/registry",
    REGISTRY_NATS_SERVERS: ["nats://a:4222", "nats://b:4222"],
    REGISTRY_VERIFY_BASE_URL: "https://verify.example.test/c",
    REGISTRY_SECRET_KEY_FILES: ["/keys/new", "/keys/old"],
    REGISTRY_API_PORT: 9083,
    REGISTRY_HOST: "0.0.0.0",
    REGISTRY_PORT: 9090,
    REGISTRY_OPERATIONS_PORT: 9082,
    REGISTRY_ALLOWED_NETWORKS: [],
    REGISTRY_ALLOWED_HOSTS: [],
    REGISTRY_REFUSED_NETWORKS: [],
    REGISTRY_RATE_LIMIT: 120,
    REGISTRY_RATE_LIMIT_WINDOW_MS: 60_000,
    REGISTRY_STORE_WINDOW: 16,
    REGISTRY_STREAM_REPLICAS: 1,
    REGISTRY_SHUTDOWN_DELAY_MS: 0,
    REGISTRY_SHUTDOWN_GRACE_MS: 10_000,
    REGISTRY_LOG_LEVEL: "info",
  });
});

test("every variable that is missing is named", () => {
  expect(() => registryConfig({})).toThrow(
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
])("%s is named, and its value not shown, when it is %j", (name, value) => {
  const load = () => registryConfig({ ...required, [name]: value });
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(`${name}: `);
  expect(load).not.toThrow("hunter2");
});
