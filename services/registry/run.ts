import { checkTogether } from "#shared/config/check-together.ts";
import { createMetrics } from "#shared/http/operations-server.ts";
import { readKeyFiles } from "#shared/keys/key-files.ts";
import type { RunningService } from "#shared/lifecycle/run-service.ts";
import { natsAccess } from "#shared/nats/nats-access.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { steadyClock, systemClock } from "#shared/time/clock.ts";
import type { RegistryConfig } from "./config.ts";
import { sessionCallsMax } from "./create-shedders.ts";
import { observeSecrets } from "./metrics/observe-secrets.ts";
import { leasedTask } from "./mongo/leases/leased-task.ts";
import { runMigrations } from "./mongo/migrations/run-migrations.ts";
import { checkConnectionString } from "./mongo/opening/connection-string.ts";
import { openDatabase, type PoolSizes } from "./mongo/opening/open-database.ts";
import { openWhenAvailable } from "./mongo/opening/open-when-available.ts";
import { createSecretBox } from "./secrets/secret-box.ts";
import { platformVerifierOf } from "./sign-in-config.ts";
import { openServerFiles, startServers } from "./start-servers.ts";
import { wireServices } from "./wire-services.ts";
import type { RegistryOverrides } from "./wiring-deps.ts";

/** A running registry and the ports on which it listens. */
export interface RunningRegistry extends RunningService {
  /** The gRPC port. */
  readonly port: number;
  /** The port of /livez, /readyz and /metrics. */
  readonly operationsPort: number;
  /** The port of the operator API over HTTP/JSON; undefined if the API is off. */
  readonly apiPort: number | undefined;
  /** See {@link RunningService.started}: resolves once the database is open. */
  readonly started: Promise<void>;
}

/**
 * Starts the registry: it listens at once, and serves calls once the database is available. It does not wait for NATS,
 * which may become available later.
 *
 * @throws ConfigError with all faults, if the key files, the TLS files, the NATS credentials, the operators' file or
 * the settings of the storefront platform are unusable, or if the connection string is invalid or weakens the
 * registry's guarantees or TLS; Error, with a one-sentence message, if it cannot listen on an address
 */
export async function run(
  config: RegistryConfig,
  logger: Logger,
  overrides: RegistryOverrides = {},
): Promise<RunningRegistry> {
  const { clock = systemClock, connectionAgeMs } = overrides;
  const metrics = createMetrics();
  const serverDeps = { config, clock, logger, metrics, connectionAgeMs };
  const [, secretKeys, nats, verifyPlatformToken, files] = await checkTogether([
    Promise.try(checkConnectionString, "REGISTRY_MONGODB_URI", config.mongodbUri),
    Promise.try(readKeyFiles, "REGISTRY_SECRET_KEY_FILES", config.secretKeyFiles),
    Promise.try(natsAccess, "REGISTRY", config),
    Promise.try(platformVerifierOf, config),
    openServerFiles(serverDeps),
  ]);
  const box = observeSecrets(createSecretBox(secretKeys), logger, metrics);
  const { ports, certificates, serve, stop } = await startServers(serverDeps, files);
  logger.info({ ...ports, apiPort: ports.apiPort ?? "off" }, "registry is listening");

  const stopping = new AbortController();
  const publishesAutomationEvents = config.automationEvents === "on";
  const opening = { logger, retention: config, pageReads: config.pageReads, publishesAutomationEvents };
  const open = () => openDatabase(config.mongodbUri, poolSizesOf(config), opening);
  const starting = openWhenAvailable(open, { clock: steadyClock, logger, signal: stopping.signal }).then((database) => {
    if (database === undefined) return undefined;
    const wired = wireServices({
      database,
      config,
      box,
      nats,
      verifyPlatformToken,
      logger,
      metrics,
      certificates,
      overrides,
    });
    wired.keyUses.start();
    wired.importRunner.start();
    wired.storefrontWorker.start();
    const { collections } = database.changes;
    const lease = leasedTask(collections.leases, "migrations");
    const migrating = runMigrations({ collections, lease, clock: steadyClock, logger });
    serve(wired.services, wired.scopes);
    logger.info("registry is ready");
    return { ...wired, database, migrating };
  });
  return {
    ...ports,
    started: starting.then(() => undefined),
    stop: () => {
      stopping.abort();
      return stop(async () => {
        const running = await starting.catch(() => undefined);
        if (running === undefined) return;
        // The relay stops first, because another replica's relay waits for the lease.
        await running.relay.stop();
        await running.automation.relay?.stop();
        await running.importRunner.stop();
        await running.storefrontWorker.stop();
        await running.migrating.stop();
        await running.placeReturns.stop();
        await running.keyUses.stop();
        await running.database.close();
      });
    },
  };
}

// Each list request uses up to two connections at once, for its admission and its page. The additional connections
// are for look-ups (four pages at a time with three reads each), searches (two), dry runs, operators' reading and
// changing of stores and API keys, and calls in sessions, each of which uses one pool or the other.
function poolSizesOf({ listConcurrency, changeConcurrency }: RegistryConfig): PoolSizes {
  return {
    reads: 2 * listConcurrency + 12 + sessionCallsMax,
    changes: changeConcurrency + 4 + sessionCallsMax,
    deliveries: 12,
  };
}
