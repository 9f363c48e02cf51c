import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

type Service = "registry" | "edge" | "notifier";

const valid: Readonly<Record<Service, Readonly<Record<string, string>>>> = {
  registry: {
    REGISTRY_MONGODB_URI: "mongodb://127.0.0.1:1/registry",
    REGISTRY_NATS_SERVERS: "nats://127.0.0.1:1",
    REGISTRY_VERIFY_BASE_URL: "https://verify.example.test",
    REGISTRY_SECRET_KEY_FILES: "/nowhere/secret.key",
    REGISTRY_OPERATIONS_PORT: "0",
  },
  edge: {
    EDGE_REGISTRY_ADDRESS: "127.0.0.1:1",
    EDGE_CURSOR_KEY_FILES: "/nowhere/cursor.key",
    EDGE_OPERATIONS_PORT: "0",
  },
  notifier: {
    NOTIFIER_REGISTRY_ADDRESS: "127.0.0.1:1",
    NOTIFIER_NATS_SERVERS: "nats://127.0.0.1:1",
    NOTIFIER_OPERATIONS_PORT: "0",
  },
};

/** Starts a service with an invalid configuration. @returns its exit code and its output lines */
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

test.each<[Service, string, string, string]>([
  ["registry", "REGISTRY_LOG_LEVEL", "loud", `${invalid} REGISTRY_LOG_LEVEL ${logLevels}`],
  [
    "registry",
    "REGISTRY_MONGODB_URI",
    "mongodb://127.0.0.1:1/registry?journal=false",
    `${invalid} REGISTRY_MONGODB_URI must not set journal to false, because a crash could lose acknowledged changes`,
  ],
  ["edge", "EDGE_LOG_LEVEL", "loud", `${invalid} EDGE_LOG_LEVEL ${logLevels}`],
  ["notifier", "NOTIFIER_LOG_LEVEL", "loud", `${invalid} NOTIFIER_LOG_LEVEL ${logLevels}`],
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
    "NOTIFIER_GRPC_CERT_FILE",
    "/nowhere/cert.pem",
    "gRPC needs TLS files. Set NOTIFIER_GRPC_KEY_FILE, NOTIFIER_GRPC_CA_FILE; to run without TLS, set NOTIFIER_GRPC_TLS=off instead",
  ],
  [
    "notifier",
    "NOTIFIER_ALLOWED_NETWORKS",
    "10.0.0.0/8,10.1.2.3/16",
    `${invalid} NOTIFIER_ALLOWED_NETWORKS must list networks such as 10.1.0.0/16, with all host bits 0; invalid: 10.1.2.3/16`,
  ],
])(
  "%s exits with code 2 and logs one line without a stack trace for %s=%s",
  async (service, name, value, message) => {
    const { code, lines } = await runRefused(service, { [name]: value });
    expect(lines).toHaveLength(1);
    const line: unknown = JSON.parse(lines[0] ?? "");
    expect(line).toEqual({ level: 60, time: expect.any(String), service, msg: message });
    expect(code).toBe(2);
  },
  90_000,
);
