import type { Registry } from "prom-client";
import type { NatsAccess } from "#shared/nats/nats-access.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { steadyClock } from "#shared/time/clock.ts";
import type { RegistryConfig } from "./config.ts";
import { observeRefusals } from "./metrics/observe-relay.ts";
import { leasedTask } from "./mongo/leases/leased-task.ts";
import type { Database } from "./mongo/opening/open-database.ts";
import type { MongoOutbox } from "./mongo/outbox/mongo-outbox.ts";
import type { RefusalHandling } from "./outbox/publish-or-quarantine.ts";
import { type RunningRelay, startRelay } from "./outbox/start-relay.ts";

interface OutboxRelayDeps {
  readonly database: Database;
  readonly config: RegistryConfig;
  readonly nats: NatsAccess;
  readonly logger: Logger;
  readonly metrics: Registry;
}

/** Starts the outbox relay, which competes with the relays of other replicas for the lease. */
export function startOutboxRelay(
  { database, config, nats, logger, metrics }: OutboxRelayDeps,
  outbox: MongoOutbox,
  quarantine: RefusalHandling["quarantine"],
): RunningRelay {
  return startRelay({
    nats,
    streamReplicas: config.streamReplicas,
    outbox,
    quarantine,
    onRefused: observeRefusals(metrics),
    limits: { inFlightMax: config.storeWindow, bufferedMax: 4 * config.storeWindow },
    lease: leasedTask(database.deliveries.collections.leases, "outbox-relay"),
    clock: steadyClock,
    logger,
  });
}
