import { pino } from "pino";
import { Registry } from "prom-client";
import { steadyClock } from "#shared/time/clock.ts";
import type { RateLimitPolicy } from "../../services/registry/admissions/admission.ts";
import { registryConfig } from "../../services/registry/config.ts";
import { KnownCertificates } from "../../services/registry/diagnostics/certificate-checks.ts";
import { readOrders } from "../../services/registry/imports/read-orders.ts";
import { databaseCall } from "../../services/registry/mongo/driver/database-error.ts";
import { limited } from "../../services/registry/mongo/driver/time-limits.ts";
import { leasedTask } from "../../services/registry/mongo/leases/leased-task.ts";
import { currentVersion, runMigrations } from "../../services/registry/mongo/migrations/run-migrations.ts";
import { openDatabase } from "../../services/registry/mongo/opening/open-database.ts";
import type { OfferedService } from "../../services/registry/rpc/offered-service.ts";
import { createSecretBox, type SecretBox } from "../../services/registry/secrets/secret-box.ts";
import { wireServices } from "../../services/registry/wire-services.ts";

const logger = pino({ level: "silent" });
const poolSizes = { reads: 12, changes: 10, deliveries: 10 };

/** Where notifiers call registries. */
export const registryAddress = "10.0.0.1:9090";

/** The box that encrypts the signing secrets of the simulated stores. */
export const simulatedBox: SecretBox = createSecretBox([Buffer.alloc(32, 7)]);

/** A registry in a process of a world. */
export type SimulatedReplica = Awaited<ReturnType<typeof startReplica>>;

/** Who calls a registry, and bounds so low that a history reaches them. */
export interface Setup {
  readonly peer: "edge" | "notifier";
  readonly policy: RateLimitPolicy;
  readonly settings: Readonly<Record<string, string>>;
}

/** Registries that notifiers call. */
export const withNotifiers = {
  peer: "notifier",
  policy: { limit: 5, windowMs: 10_000 },
  settings: {
    REGISTRY_STORE_WINDOW: "4",
    REGISTRY_AUTOMATION_EVENTS: "on",
    REGISTRY_PAGE_READS: "snapshot",
    REGISTRY_TRIGGER_RETRY_BASE_MS: "1000",
  },
} as const satisfies Setup;

/** Those with another version of their configuration, beside the first ones during a rolling update. */
export const withNotifiersUpdated = {
  peer: "notifier",
  policy: { limit: 3, windowMs: withNotifiers.policy.windowMs },
  settings: {
    REGISTRY_STORE_WINDOW: "2",
    REGISTRY_AUTOMATION_EVENTS: "on",
    REGISTRY_PAGE_READS: "transaction",
    REGISTRY_CHANGE_CONCURRENCY: "1",
  },
} as const satisfies Setup;

/** Registries that edges call. */
export const withEdges = {
  peer: "edge",
  policy: { limit: 10, windowMs: 30_000 },
  settings: {
    REGISTRY_LIST_CONCURRENCY: "4",
    REGISTRY_LIST_CONCURRENCY_PER_STORE: "2",
    REGISTRY_PAGE_READS: "snapshot",
  },
} as const satisfies Setup;

/** Starts a registry, wired as in services/registry/run.ts, in the process that calls this function. */
export async function startReplica(
  { peer, policy, settings }: Setup,
  uri: string,
  natsUrl: string,
  version = currentVersion,
) {
  const config = registryConfig.load({
    REGISTRY_MONGODB_URI: uri,
    REGISTRY_NATS_SERVERS: natsUrl,
    REGISTRY_VERIFY_BASE_URL: "https://verify.example.test/c",
    REGISTRY_SECRET_KEY_FILES: "none",
    REGISTRY_GRPC_TLS: "off",
    REGISTRY_RATE_LIMIT: String(policy.limit),
    REGISTRY_RATE_LIMIT_WINDOW_MS: String(policy.windowMs),
    ...settings,
  });
  const database = await openDatabase(uri, poolSizes, {
    logger,
    pageReads: config.pageReads,
    publishesAutomationEvents: config.automationEvents === "on",
    version,
  });
  const wired = wireServices({
    database,
    config,
    box: simulatedBox,
    nats: { servers: [natsUrl] },
    verifyPlatformToken: undefined,
    logger,
    metrics: new Registry(),
    certificates: new KnownCertificates(),
    // A thread would not be part of the world.
    overrides: { readOrders },
  });
  wired.keyUses.start();
  wired.importRunner.start();
  wired.storefrontWorker.start();
  const { collections } = database.changes;
  const lease = leasedTask(collections.leases, "migrations");
  runMigrations({ collections, lease, clock: steadyClock, logger, list: version.migrations });
  const mount = { observe: () => undefined, scopes: wired.scopes, peersOfCall: () => new Set<Setup["peer"]>([peer]) };
  return {
    ...wired.parts,
    importRunner: wired.importRunner,
    version,
    samples: collections.samples,
    /** Returns the epoch of a store's feed, which each page of the list carries. */
    feedEpoch: (storeId: string) =>
      databaseCall(async () => (await database.reads.collections.access.findOne({ _id: storeId }, limited))?.epoch),
    mount: (server: Parameters<OfferedService["mountOnGrpc"]>[0]) => {
      for (const service of wired.services) service.mountOnGrpc(server, mount);
    },
  };
}
