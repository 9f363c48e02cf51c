import { type Client, createClient } from "@connectrpc/connect";
import { inject } from "vitest";
import { DeliveryService } from "#gen/registry/v1/delivery_service_pb.js";
import { EdgeService } from "#gen/registry/v1/edge_service_pb.js";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { NotifierService } from "#gen/registry/v1/notifier_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import { createLogger } from "#shared/observe/logger.ts";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { loadConfig } from "../../services/registry/config.ts";
import { type RegistryOverrides, run } from "../../services/registry/run.ts";
import { openTestDatabase, type TestDatabase } from "./test-database.ts";

/** A registry that runs in the test's process. */
export interface TestRegistry {
  /** Where it serves gRPC, `host:port`. */
  readonly address: string;
  readonly operationsUrl: string;
  readonly database: TestDatabase;
  readonly edge: Client<typeof EdgeService>;
  readonly issuing: Client<typeof IssuingService>;
  readonly notifier: Client<typeof NotifierService>;
  readonly admin: Client<typeof StoreAdminService>;
  readonly deliveries: Client<typeof DeliveryService>;
  readonly lifecycle: Client<typeof LifecycleService>;
  readonly verification: Client<typeof VerificationService>;
  readonly inspection: Client<typeof InspectionService>;
  /** Stops it, and drops its database unless that was given. */
  stop(): Promise<void>;
}

/** What {@link startTestRegistry} can be told. */
export interface TestRegistryOptions {
  /** Shared with other registries, as replicas do. Default: a new one. */
  readonly database?: TestDatabase;
  /** Default: a port that refuses connections, so that events stay in the outbox. */
  readonly natsUrl?: string;
  /** Any other variable of services/registry/config.ts. */
  readonly env?: Readonly<Record<string, string>>;
  readonly overrides?: RegistryOverrides;
}

/** The service's own verification address in tests. */
export const testVerifyBaseUrl = "https://verify.example.test/c";

const host = "127.0.0.1";
// Nobody may listen on port 1 without rights that tests do not have.
const refusingNatsUrl = `nats://${host}:1`;
// A slow database server takes its time when many calls come at once.
const callTimeoutMs = 30_000;

/** Starts the real registry, as its process would, on free ports. */
export async function startTestRegistry(options: TestRegistryOptions = {}): Promise<TestRegistry> {
  const database = options.database ?? (await openTestDatabase());
  const config = loadConfig({
    REGISTRY_MONGODB_URI: database.uri,
    REGISTRY_NATS_SERVERS: options.natsUrl ?? refusingNatsUrl,
    REGISTRY_VERIFY_BASE_URL: testVerifyBaseUrl,
    // Receivers of tests listen on this machine.
    REGISTRY_ALLOWED_NETWORKS: `${host}/32`,
    REGISTRY_SECRET_KEY_FILES: inject("secretKeyFile"),
    REGISTRY_HOST: host,
    REGISTRY_PORT: "0",
    REGISTRY_OPERATIONS_PORT: "0",
    REGISTRY_SHUTDOWN_GRACE_MS: "2000",
    ...options.env,
  });
  const registry = await run(config, createLogger("registry", "silent"), options.overrides);
  const address = `${host}:${registry.port}`;
  const transport = createGrpcClient({ address, timeoutMs: callTimeoutMs });
  return {
    address,
    operationsUrl: `http://${host}:${registry.operationsPort}`,
    database,
    edge: createClient(EdgeService, transport),
    issuing: createClient(IssuingService, transport),
    notifier: createClient(NotifierService, transport),
    admin: createClient(StoreAdminService, transport),
    deliveries: createClient(DeliveryService, transport),
    lifecycle: createClient(LifecycleService, transport),
    verification: createClient(VerificationService, transport),
    inspection: createClient(InspectionService, transport),
    stop: async () => {
      transport.close();
      await registry.stop();
      if (options.database === undefined) await database.close();
    },
  };
}
