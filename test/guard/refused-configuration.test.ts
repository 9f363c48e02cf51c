import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { edgeConfig } from "../../services/edge/config.ts";
import * as edge from "../../services/edge/run.ts";
import { notifierConfig } from "../../services/notifier/config.ts";
import * as notifier from "../../services/notifier/run.ts";
import { registryConfig } from "../../services/registry/config.ts";
import * as registry from "../../services/registry/run.ts";
import { ConfigError } from "../../services/shared/config/config-error.ts";
import type { RunningService } from "../../services/shared/lifecycle/run-service.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";

type Service = "registry" | "edge" | "notifier";

const folder = await openTemporaryFolder("refused-configuration", afterAll);
const secretKeyFile = path.join(folder, "secret.key");
writeFileSync(secretKeyFile, "k".repeat(32));

const valid: Readonly<Record<Service, Readonly<Record<string, string>>>> = {
  registry: {
    REGISTRY_MONGODB_URI: "mongodb://127.0.0.1:1/registry",
    REGISTRY_NATS_SERVERS: "nats://127.0.0.1:1",
    REGISTRY_VERIFY_BASE_URL: "https://verify.example.test",
    REGISTRY_SECRET_KEY_FILES: secretKeyFile,
    REGISTRY_OPERATIONS_PORT: "0",
    REGISTRY_GRPC_TLS: "off",
    // Hides the warning that TLS is off.
    REGISTRY_LOG_LEVEL: "error",
  },
  edge: {
    EDGE_REGISTRY_ADDRESS: "127.0.0.1:1",
    EDGE_CURSOR_KEY_FILES: secretKeyFile,
    EDGE_OPERATIONS_PORT: "0",
    EDGE_GRPC_TLS: "off",
    EDGE_LOG_LEVEL: "error",
  },
  notifier: {
    NOTIFIER_REGISTRY_ADDRESS: "127.0.0.1:1",
    NOTIFIER_NATS_SERVERS: "nats://127.0.0.1:1",
    NOTIFIER_OPERATIONS_PORT: "0",
    NOTIFIER_GRPC_TLS: "off",
    NOTIFIER_LOG_LEVEL: "error",
  },
};

const logger = pino({ level: "silent" });
const starts: Readonly<Record<Service, (env: NodeJS.ProcessEnv) => Promise<RunningService>>> = {
  registry: (env) => registry.run(registryConfig.load(env), logger),
  edge: (env) => edge.run(edgeConfig.load(env), logger),
  notifier: (env) => notifier.run(notifierConfig.load(env), logger),
};

/** Starts a service in this process, as its main file does. @returns the message of the error with which it refuses */
async function refusalOf(service: Service, env: Readonly<Record<string, string>>): Promise<string> {
  const started = await Promise.try(starts[service], { ...valid[service], ...env }).catch((error: unknown) => error);
  if (started instanceof ConfigError) return started.message;
  if (started instanceof Error) throw started;
  throw new Error(`the ${service} accepts the configuration`);
}

/** Starts a service as a process of its own. @returns its exit code and its output lines */
function runRefused(service: Service, env: Readonly<Record<string, string>>) {
  const main = fileURLToPath(new URL(`../../services/${service}/main.ts`, import.meta.url));
  return new Promise<{ code: unknown; lines: string[] }>((resolve) => {
    const { NODE_COMPILE_CACHE } = process.env;
    const options = { env: { NODE_COMPILE_CACHE, ...valid[service], ...env }, timeout: 60_000 };
    execFile(process.execPath, [main], options, (error, stdout, stderr) => {
      resolve({ code: error?.code, lines: `${stdout}${stderr}`.trim().split("\n") });
    });
  });
}

const logLevels = "must be one of trace, debug, info, warn, error, fatal, silent";
const invalid = "The configuration is invalid.";

test.each<[Service, string]>([
  ["registry", "REGISTRY_LOG_LEVEL"],
  ["edge", "EDGE_LOG_LEVEL"],
  ["notifier", "NOTIFIER_LOG_LEVEL"],
])(
  "%s exits with code 2 and logs one line without a stack trace for an invalid %s",
  async (service, name) => {
    const { code, lines } = await runRefused(service, { [name]: "loud" });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 60, time: expect.any(String), service, msg: `${invalid} ${name} ${logLevels}` },
    ]);
    expect(code).toBe(2);
  },
  90_000,
);

test.each<[Service, string, string, string]>([
  ["registry", "REGISTRY_HOST", "x y", `${invalid} REGISTRY_HOST must be an IP address or a host name`],
  ["registry", "REGISTRY_PAGE_READS", "x", `${invalid} REGISTRY_PAGE_READS must be one of auto, snapshot, transaction`],
  ["registry", "REGISTRY_AUTOMATION_EVENTS", "x", `${invalid} REGISTRY_AUTOMATION_EVENTS must be one of on, off`],
  [
    "registry",
    "REGISTRY_MONGODB_URI",
    "mongodb://127.0.0.1:1/a.b",
    `${invalid} REGISTRY_MONGODB_URI must name a database with at most 63 characters, without white space and without . / \\ " and $`,
  ],
  [
    "registry",
    "REGISTRY_MONGODB_URI",
    "mongodb://127.0.0.1:1/registry?journal=false",
    `${invalid} REGISTRY_MONGODB_URI must not set journal to false, because a crash could lose acknowledged changes`,
  ],
  [
    "notifier",
    "NOTIFIER_REGISTRY_ADDRESS",
    "not an address",
    `${invalid} NOTIFIER_REGISTRY_ADDRESS must be host:port or dns:///host:port`,
  ],
  [
    "notifier",
    "NOTIFIER_EXTRA_CA_FILE",
    "/nowhere/ca.pem",
    "NOTIFIER_EXTRA_CA_FILE: /nowhere/ca.pem cannot be read (ENOENT)",
  ],
  ["notifier", "NOTIFIER_EXTRA_CA_FILE", "/dev/null", "NOTIFIER_EXTRA_CA_FILE: /dev/null contains no PEM certificate"],
  [
    "notifier",
    "NOTIFIER_NATS_CREDENTIALS_FILE",
    "/nowhere/user.creds",
    "NOTIFIER_NATS_CREDENTIALS_FILE: /nowhere/user.creds cannot be read (ENOENT)",
  ],
  ["notifier", "NOTIFIER_GRPC_TLS", "no", `${invalid} NOTIFIER_GRPC_TLS must be on or off`],
  [
    "notifier",
    "NOTIFIER_ALLOWED_NETWORKS",
    "10.0.0.0/8,10.1.2.3/16",
    `${invalid} NOTIFIER_ALLOWED_NETWORKS must list networks such as 10.1.0.0/16, with all host bits 0; invalid: 10.1.2.3/16`,
  ],
])("%s refuses %s=%s", async (service, name, value, message) => {
  expect(await refusalOf(service, { [name]: value })).toBe(message);
});

const unreadable = (variable: string) => `${variable}: /nowhere cannot be read (ENOENT)`;
const tlsFiles = (prefix: string) => [`${prefix}_GRPC_CERT_FILE`, `${prefix}_GRPC_KEY_FILE`, `${prefix}_GRPC_CA_FILE`];

test.each<[Service, Readonly<Record<string, string>>, readonly string[]]>([
  [
    "registry",
    {
      REGISTRY_NATS_CREDENTIALS_FILE: "/nowhere",
      REGISTRY_PLATFORM_ISSUER: "https://a",
      REGISTRY_OPERATORS_FILE: "/nowhere",
    },
    [
      unreadable("REGISTRY_SECRET_KEY_FILES"),
      unreadable("REGISTRY_NATS_CREDENTIALS_FILE"),
      "Set both REGISTRY_PLATFORM_ISSUER and REGISTRY_PLATFORM_AUDIENCE, or unset all REGISTRY_PLATFORM_* variables",
      "Set either REGISTRY_PLATFORM_SECRET_FILE or REGISTRY_PLATFORM_JWKS_URL, not both",
      ...tlsFiles("REGISTRY").map(unreadable),
      unreadable("REGISTRY_OPERATORS_FILE"),
    ],
  ],
  [
    "edge",
    { EDGE_PLATFORM_SECRET_FILE: "/nowhere", EDGE_PLATFORM_OLD_SECRET_FILE: "/nowhere" },
    [
      ...["EDGE_CURSOR_KEY_FILES", "EDGE_PLATFORM_SECRET_FILE", "EDGE_PLATFORM_OLD_SECRET_FILE"].map(unreadable),
      ...tlsFiles("EDGE").map(unreadable),
    ],
  ],
  [
    "notifier",
    {
      NOTIFIER_NATS_CERT_FILE: "/nowhere",
      NOTIFIER_NATS_KEY_FILE: "/nowhere",
      NOTIFIER_NATS_CA_FILE: "/nowhere",
      NOTIFIER_EXTRA_CA_FILE: "/nowhere",
      NOTIFIER_GRPC_CA_FILE: "",
    },
    [
      ...["NOTIFIER_NATS_CA_FILE", "NOTIFIER_NATS_CERT_FILE", "NOTIFIER_NATS_KEY_FILE"].map(unreadable),
      unreadable("NOTIFIER_EXTRA_CA_FILE"),
      "gRPC needs TLS files. Set NOTIFIER_GRPC_CA_FILE; to run without TLS, set NOTIFIER_GRPC_TLS=off instead",
      ...["NOTIFIER_GRPC_CERT_FILE", "NOTIFIER_GRPC_KEY_FILE"].map(unreadable),
    ],
  ],
])("%s names all unusable files at once", async (service, env, problems) => {
  const prefix = service.toUpperCase();
  const files = [...tlsFiles(prefix), "REGISTRY_SECRET_KEY_FILES", "EDGE_CURSOR_KEY_FILES"];
  const missing = Object.fromEntries(files.map((variable) => [variable, "/nowhere"]));
  expect(await refusalOf(service, { ...missing, [`${prefix}_GRPC_TLS`]: "on", ...env })).toBe(
    `${invalid} ${problems.join("; ")}`,
  );
});

test("a service that cannot listen exits with code 1 and names the address and the reason", async () => {
  const { code, lines } = await runRefused("notifier", { NOTIFIER_HOST: "10.255.1.1" });
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["cannot listen on 10.255.1.1:0 (EADDRNOTAVAIL)"]);
  expect(code).toBe(1);
});
