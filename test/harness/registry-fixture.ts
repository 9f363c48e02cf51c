import { afterAll, inject } from "vitest";
import { atEnd } from "#shared/lifecycle/at-end-fixture.ts";
import type { GrpcCertificates } from "../../deploy/local/stack/grpc-certificates.ts";
import { grpcVariablesFor } from "../../deploy/local/stack/service-specs.ts";
import { registryConfig } from "../../services/registry/config.ts";
import { run } from "../../services/registry/run.ts";
import type { RegistryOverrides } from "../../services/registry/wiring-deps.ts";
import { createScannedLogger } from "./log-scan/scanned-logger.ts";
import { oncePerWorker } from "./once-per-worker.ts";
import { type ConnectedRegistry, connectRegistry } from "./stack/registry-clients.ts";
import { createTestDatabase, type TestDatabase } from "./test-database.ts";

/** A registry that runs in the test's process. */
export interface TestRegistry extends ConnectedRegistry {
  /** gRPC address, `host:port`. */
  readonly address: string;
  readonly operationsUrl: string;
  /** Base URL of the operator API; undefined if the API is off. */
  readonly apiUrl: string | undefined;
  readonly database: TestDatabase;
  /** Resolves once the registry serves calls, or when it is stopped before that. */
  readonly started: Promise<void>;
  /**
   * Stops the registry, and drops its database unless the caller provided it.
   *
   * @throws Error if the registry has logged a key, secret, cursor or e-mail address
   */
  stop(): Promise<void>;
  /** @throws Error as {@link stop}, for the log so far */
  requireCleanLog(): void;
}

export interface TestRegistryOptions {
  /** Database to share with other replicas. Default: a new one. */
  readonly database?: TestDatabase;
  /** Default: the URL of a port that refuses connections, so that events remain in the outbox. */
  readonly natsUrl?: string;
  /** Certificates for mutual TLS. Default: no TLS. */
  readonly grpc?: GrpcCertificates;
  /** Variables of services/registry/config.ts to add or override. */
  readonly env?: Readonly<Record<string, string>>;
  readonly overrides?: RegistryOverrides;
  /** Called with each line of the registry's log. */
  readonly onLogLine?: (line: string) => void;
  /** Whether to wait until the registry serves calls. Default: true. */
  readonly untilReady?: boolean;
}

/** Base URL of the verification pages, unless a test configures another. */
export const testVerifyBaseUrl = "https://verify.example.test/c";

const host = "127.0.0.1";
// Port 1 is privileged, so no test process listens on it.
const refusingNatsUrl = `nats://${host}:1`;

/** Starts the real registry in the test's process, as its main.ts does, but on free ports. */
export async function startTestRegistry(options: TestRegistryOptions = {}): Promise<TestRegistry> {
  const database = options.database ?? (await createTestDatabase());
  const config = registryConfig.load({
    REGISTRY_MONGODB_URI: database.uri,
    REGISTRY_NATS_SERVERS: options.natsUrl ?? refusingNatsUrl,
    REGISTRY_VERIFY_BASE_URL: testVerifyBaseUrl,
    // The tests' receivers listen on this machine.
    REGISTRY_ALLOWED_NETWORKS: `${host}/32`,
    REGISTRY_SECRET_KEY_FILES: inject("secretKeyFile"),
    REGISTRY_HOST: host,
    REGISTRY_PORT: "0",
    REGISTRY_OPERATIONS_PORT: "0",
    REGISTRY_API_PORT: "0",
    REGISTRY_SHUTDOWN_GRACE_MS: "2000",
    ...grpcVariablesFor("REGISTRY", options.grpc?.registry),
    ...options.env,
  });
  const { logger, requireClean } = createScannedLogger("registry", options.onLogLine);
  const registry = await run(config, logger, options.overrides);
  if (options.untilReady ?? true) await registry.started;
  const address = `${host}:${registry.port}`;
  const { close, ...clients } = connectRegistry(address, { grpc: options.grpc });
  return {
    ...clients,
    address,
    operationsUrl: `http://${host}:${registry.operationsPort}`,
    apiUrl: registry.apiPort === undefined ? undefined : `http://${host}:${registry.apiPort}`,
    database,
    started: registry.started,
    stop: async () => {
      close();
      await registry.stop();
      if (options.database === undefined) await database.close();
      requireClean();
    },
    requireCleanLog: requireClean,
  };
}

/** Starts a registry. @param onEnd registers the function that stops the registry. Default: {@link atEnd} */
export async function openTestRegistry(
  options: TestRegistryOptions = {},
  onEnd: (stop: () => Promise<void>) => void = atEnd,
): Promise<TestRegistry> {
  const registry = await startTestRegistry(options);
  onEnd(() => registry.stop());
  return registry;
}

const openShared = oncePerWorker((onEnd) => openTestRegistry({}, onEnd));

/**
 * Returns the registry that the test files of this worker share, for tests that change and count only what belongs to
 * stores of their own.
 */
export async function sharedRegistry(): Promise<TestRegistry> {
  const registry = await openShared();
  afterAll(registry.requireCleanLog);
  return registry;
}
