import type { Clock } from "#shared/time/clock.ts";
import { CommitQueue } from "../../services/registry/certificates/commit-queue.ts";
import { MongoLedger } from "../../services/registry/mongo/certificates/mongo-ledger.ts";
import type { Collections } from "../../services/registry/mongo/documents/collections.ts";
import { findSnapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { removeQueuedEvents } from "../../services/registry/mongo/outbox/remove-queued-events.ts";
import { MongoStoreDirectory } from "../../services/registry/mongo/stores/mongo-store-directory.ts";
import { MongoStoreHistory } from "../../services/registry/mongo/stores/mongo-store-history.ts";
import { MongoTriggerQueue } from "../../services/registry/mongo/triggers/mongo-trigger-queue.ts";
import { MongoTriggers } from "../../services/registry/mongo/triggers/mongo-triggers.ts";
import { createSecretBox } from "../../services/registry/secrets/secret-box.ts";
import { claimTriggerDeliveries } from "../../services/registry/triggers/claim-trigger-deliveries.ts";
import { type AttemptResult, recordTriggerAttempts } from "../../services/registry/triggers/record-trigger-attempts.ts";
import { Freezer } from "./freezer.ts";
import type { SimulatedDatabase } from "./simulated-registry.ts";

/** The triggers of one registry, with the production code down to the database driver. */
export type TriggerRegistry = ReturnType<typeof createTriggerRegistry>;

/** How long a lease lasts, in milliseconds. */
export const leaseLifeMs = 60_000;
/** When events are sent again. They are never given up: their virtual horizon is longer than any history. */
export const policy = { baseMs: 10_000, horizonMs: 365 * 86_400_000 };
const box = createSecretBox([Buffer.alloc(32, 7)]);

interface TriggerRegistryClocks {
  /** The registry's own clock, which may be wrong. */
  readonly clock: Clock;
  readonly databaseClock: Clock;
}

/** Creates a registry that can be frozen after any command of a claim or of the recording of results. */
export function createTriggerRegistry(
  { client, collections }: SimulatedDatabase,
  { clock, databaseClock }: TriggerRegistryClocks,
) {
  const databaseTime = () => new Date(databaseClock.now());
  const freezer = new Freezer();
  const ledger = new MongoLedger({
    client,
    collections,
    clock,
    databaseTime,
    serviceVerifyUrl: "https://verify.example.test/c",
    onEvents: () => undefined,
  });
  const history = new MongoStoreHistory({
    client,
    collections,
    clock,
    onRecorded: () => undefined,
  });
  const queue = new MongoTriggerQueue({
    client,
    collections: holdResults(collections, freezer),
    readSnapshot: findSnapshotReader(),
    box,
    clock: databaseClock,
    leaseLifeMs,
    databaseTime,
  });
  const triggers = new MongoTriggers({ collections, history, box, clock, databaseTime });
  return {
    freezer,
    triggers,
    queue,
    changes: new CommitQueue(ledger, { clock }),
    stores: new MongoStoreDirectory(collections, history, databaseClock),
    claim: (claimedBy: string, countMax: number) =>
      claimTriggerDeliveries(queue, {
        claimedBy,
        countMax,
        leaseLifeMs,
        timeLimitMs: () => 60_000,
        onCutShort: (error) => {
          throw error;
        },
      }),
    record: (results: readonly AttemptResult[]) =>
      recordTriggerAttempts({ queue, triggers, policy, onDisabled: () => undefined }, results),
    /** Removes the waiting events with an address, as an erasure does. @returns the number of events in flight */
    erase: async (storeId: string, email: string) => {
      const matches = (bytes: Uint8Array) => Buffer.from(bytes).includes(email);
      const options = { position: undefined, matches, apply: true };
      return removeQueuedEvents({ client, collections, databaseTime }, "trigger_events", storeId, options);
    },
  };
}

/**
 * Returns the collections of triggers, whose results are held back while the process is frozen. Commands in
 * transactions are not: a frozen process would lock documents until the server ends its transaction.
 */
function holdResults({ triggers, triggerDeliveries }: Collections, freezer: Freezer) {
  return { triggers: holdResultsOf(triggers, freezer), triggerDeliveries: holdResultsOf(triggerDeliveries, freezer) };
}

function holdResultsOf<Part extends object>(part: Part, freezer: Freezer): Part {
  return new Proxy(part, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]) => {
        const result: unknown = Reflect.apply(member, target, args);
        const isInTransaction = args.some((arg) => typeof arg === "object" && arg !== null && "session" in arg);
        if (isInTransaction) return result;
        if (result instanceof Promise)
          return result.then(async (value: unknown) => {
            await freezer.pass();
            return value;
          });
        return typeof result === "object" && result !== null ? holdResultsOf(result, freezer) : result;
      };
    },
  });
}
