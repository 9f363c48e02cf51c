import { pino } from "pino";
import { Registry } from "prom-client";
import { registryConfig } from "../../services/registry/config.ts";
import { KnownCertificates } from "../../services/registry/diagnostics/certificate-checks.ts";
import { openDatabase } from "../../services/registry/mongo/opening/open-database.ts";
import type { OfferedService } from "../../services/registry/rpc/offered-service.ts";
import { wireServices } from "../../services/registry/wire-services.ts";
import { simulatedBox } from "./simulated-replica.ts";

const logger = pino({ level: "silent" });
const poolSizes = { reads: 12, changes: 10, deliveries: 10 };

/** Low, so that a history reaches it often. */
export const edgePolicy = { limit: 10, windowMs: 30_000 };

/** Starts a registry, wired as in services/registry/run.ts, in the process that calls this function. */
export async function startEdgeRegistry(uri: string, natsUrl: string) {
  const config = registryConfig.load({
    REGISTRY_MONGODB_URI: uri,
    REGISTRY_NATS_SERVERS: natsUrl,
    REGISTRY_VERIFY_BASE_URL: "https://verify.example.test/c",
    REGISTRY_SECRET_KEY_FILES: "none",
    REGISTRY_GRPC_TLS: "off",
    REGISTRY_RATE_LIMIT: String(edgePolicy.limit),
    REGISTRY_RATE_LIMIT_WINDOW_MS: String(edgePolicy.windowMs),
    // So low that a history reaches them.
    REGISTRY_LIST_CONCURRENCY: "4",
    REGISTRY_LIST_CONCURRENCY_PER_STORE: "2",
  });
  const database = await openDatabase(uri, poolSizes, { logger, pageReads: "snapshot" });
  const wired = wireServices({
    database,
    config,
    box: simulatedBox,
    nats: { servers: [natsUrl] },
    verifyPlatformToken: undefined,
    logger,
    metrics: new Registry(),
    certificates: new KnownCertificates(),
    overrides: {},
  });
  wired.keyUses.start();
  wired.importRunner.start();
  wired.storefrontWorker.start();
  const mount = { observe: () => undefined, scopes: wired.scopes, peersOfCall: () => new Set(["edge" as const]) };
  return {
    database,
    mount: (server: Parameters<OfferedService["mountOnGrpc"]>[0]) => {
      for (const service of wired.services) service.mountOnGrpc(server, mount);
    },
  };
}
