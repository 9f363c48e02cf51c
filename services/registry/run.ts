import { createMetrics } from "#shared/http/operations-server.ts";
import { readKeyFiles } from "#shared/keys/key-files.ts";
import type { RunningService } from "#shared/lifecycle/run-service.ts";
import { natsAccess } from "#shared/nats/nats-access.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { systemClock } from "#shared/time/clock.ts";
import type { RegistryConfig } from "./config.ts";
import { observeSecrets } from "./metrics/observe-secrets.ts";
import { checkConnectionString } from "./mongo/connection-string.ts";
import { openDatabase, type PoolSizes } from "./mongo/open-database.ts";
import { createSecretBox } from "./secrets/secret-box.ts";
import { startServers } from "./start-servers.ts";
import { type RegistryOverrides, wireServices } from "./wire-services.ts";

export type { RegistryOverrides } from "./wire-services.ts";

/** A running registry and the ports on which it listens. */
export interface RunningRegistry extends RunningService {
  /** The gRPC port. */
  readonly port: number;
  /** The port of /livez, /readyz and /metrics. */
  readonly operationsPort: number;
  /** The port of the operator API over HTTP/JSON; undefined if the API is off. */
  readonly apiPort: number | undefined;
}

/**
 * Starts the registry. Waits for the database, but not for NATS, which may become available later.
 *
 * @throws ConfigError for unusable key files or NATS credentials, or a connection string that weakens the guarantees;
 * Error, with a one-sentence message, when the database is unusable or a port is taken
 */
export async function run(
  config: RegistryConfig,
  logger: Logger,
  overrides: RegistryOverrides = {},
): Promise<RunningRegistry> {
  const { clock = systemClock } = overrides;
  const metrics = createMetrics();
  checkConnectionString("REGISTRY_MONGODB_URI", config.mongodbUri);
  const secretKeys = readKeyFiles("REGISTRY_SECRET_KEY_FILES", config.secretKeyFiles);
  const nats = natsAccess("REGISTRY", config);
  const box = observeSecrets(createSecretBox(secretKeys), logger, metrics);
  const database = await openDatabase(config.mongodbUri, poolSizesOf(config), { logger });
  const wired = wireServices({ database, config, box, nats, logger, metrics, overrides });
  const { services, keyUses, placeReturns, relay } = wired;
  const { stop: stopServers, ...ports } = await startServers(services, { config, clock, logger, metrics });
  keyUses.start();
  logger.info({ ...ports, apiPort: ports.apiPort ?? "off" }, "registry is listening");
  return {
    ...ports,
    stop: () =>
      stopServers(async () => {
        // First, because another replica's relay waits for the lease.
        await relay.stop();
        await placeReturns.stop();
        await keyUses.stop();
        await database.close();
      }),
  };
}

// A few more connections than units of work in flight: for look-ups, and for reading and changing stores and API keys.
function poolSizesOf({ listConcurrency, changeConcurrency }: RegistryConfig): PoolSizes {
  return { reads: listConcurrency + 8, changes: changeConcurrency + 4, deliveries: 12 };
}
