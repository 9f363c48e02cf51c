import { expect, test } from "vitest";
import { withCallerVariables } from "./caller-variables.ts";
import { edgeSpec, notifierSpec, registrySpec } from "./service-specs.ts";

const at = {
  mongodbUri: "mongodb://127.0.0.1:1/registry",
  natsUrl: "nats://127.0.0.1:1",
  registryPort: 9090,
  registryOperationsPort: 1,
  edgePort: 8080,
  edgeOperationsPort: 2,
  notifierOperationsPort: 3,
};
const secrets = {
  cursorKeyFile: "/cursor",
  secretKeyFile: "/secret",
  platformSecretFile: "/platform",
  caFile: "/ca",
  grpc: undefined,
};
const registry = registrySpec(at, secrets);

test("passes on a service's variable from the caller's environment, and reports its name but not its value", () => {
  const { env, messages } = withCallerVariables(registry, { REGISTRY_RATE_LIMIT: "7", HOME: "/home/ada" });
  expect(env).toEqual({ ...registry.env, REGISTRY_RATE_LIMIT: "7" });
  expect(messages).toEqual(["The registry uses REGISTRY_RATE_LIMIT from your environment."]);
});

test("does not pass on variables of other services", () => {
  const given = { REGISTRY_RATE_LIMIT: "7", EDGE_LISTS_MAX: "10", NOTIFIER_REPLY_TIMEOUT_MS: "100" };
  expect(withCallerVariables(edgeSpec(at, secrets), given).env).toMatchObject({ EDGE_LISTS_MAX: "10" });
  expect(withCallerVariables(edgeSpec(at, secrets), given).messages).toHaveLength(1);
  const { env } = withCallerVariables(notifierSpec(at, secrets), given);
  expect(env).toMatchObject({ NOTIFIER_REPLY_TIMEOUT_MS: "100" });
  expect(env).not.toHaveProperty("EDGE_LISTS_MAX");
});

test.each([
  ["REGISTRY_PORT", "REGISTRY_PORT", ": use --registry-port instead"],
  ["REGISTRY_MONGODB_URI", "REGISTRY_MONGODB_URI", ": set MONGODB_URI instead"],
  ["REGISTRY_MONGODB_URI_FILE", "REGISTRY_MONGODB_URI", ": set MONGODB_URI instead"],
  ["REGISTRY_NATS_SERVERS_FILE", "REGISTRY_NATS_SERVERS", ": set NATS_URL instead"],
  ["REGISTRY_SECRET_KEY_FILES", "REGISTRY_SECRET_KEY_FILES", ""],
  ["REGISTRY_GRPC_TLS", "REGISTRY_GRPC_TLS", ""],
])("ignores %s, which would break the local set-up, and states the remedy if there is one", (name, own, remedy) => {
  const { env, messages } = withCallerVariables(registry, { [name]: "changed" });
  expect(env[own]).toBe(registry.env[own]);
  if (name !== own) expect(env[name]).toBe("");
  const set = name === own ? "it" : own;
  expect(messages).toEqual([`${name} is ignored, because npm start sets ${set} itself${remedy}.`]);
});

test("adds the caller's allowed networks to those that npm start sets", () => {
  const { env } = withCallerVariables(registry, { REGISTRY_ALLOWED_NETWORKS: "10.1.0.0/16" });
  expect(env.REGISTRY_ALLOWED_NETWORKS).toBe("127.0.0.0/8,::1/128,10.1.0.0/16");
});

test("reports an unknown variable whose name begins with the service's prefix", () => {
  const { env, messages } = withCallerVariables(registry, { REGISTRY_RATELIMIT: "7" });
  expect(env).toEqual(registry.env);
  expect(messages).toEqual([
    "The registry does not use REGISTRY_RATELIMIT: deploy/CONFIGURATION.md lists its variables.",
  ]);
});

test("skips empty variables, and NOTIFIER_EXTRA_CA_FILE, which npm start has already taken into account", () => {
  const given = { NOTIFIER_REPLY_TIMEOUT_MS: "", NOTIFIER_EXTRA_CA_FILE: "/own" };
  const spec = notifierSpec(at, secrets);
  expect(withCallerVariables(spec, given)).toEqual({ env: spec.env, messages: [] });
});
