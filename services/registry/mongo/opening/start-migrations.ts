import type { Logger } from "#shared/observe/logger.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { MongoLease } from "../leases/mongo-lease.ts";
import { runMigrations } from "../migrations/run-migrations.ts";
import type { Database } from "./open-database.ts";

/** Starts the migrations in the background. `stop` ends them, and waits for the batch in progress. */
export function startMigrations({ changes }: Database, logger: Logger): { stop(): Promise<void> } {
  const { collections } = changes;
  const lease = new MongoLease(collections.leases, "migrations", crypto.randomUUID());
  const { loop, stop } = runMigrations({ collections, lease, clock: steadyClock, logger });
  loop.start();
  return { stop };
}
