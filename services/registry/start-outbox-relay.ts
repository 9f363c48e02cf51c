import type { Registry } from "prom-client";
import { partitionCount } from "#shared/nats/event-stream.ts";
import type { NatsAccess } from "#shared/nats/nats-access.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { steadyClock } from "#shared/time/clock.ts";
import type { RegistryConfig } from "./config.ts";
import { observeRefusals } from "./metrics/observe-relay.ts";
import { sharedTasks } from "./mongo/leases/shared-tasks.ts";
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

/** Starts the outbox relay, which divides the partitions of stores with the relays of other replicas. */
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
    partitions: sharedTasks(database.deliveries.collections.leases, "outbox-relay", partitionCount),
    clock: steadyClock,
    logger,
  });
}
