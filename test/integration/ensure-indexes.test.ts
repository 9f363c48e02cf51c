import { once } from "node:events";
import { BSON, type Document } from "mongodb";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import type { Clock } from "#shared/time/clock.ts";
import { ensureIndexes } from "../../services/registry/mongo/opening/ensure-indexes.ts";
import { indexes } from "../../services/registry/mongo/opening/indexes.ts";
import { type Answers, failure, openFakeDatabase } from "../harness/fake-database.ts";

const idIndex = { v: 2, key: { _id: 1 }, name: "_id_" };

/** Returns replies to `listIndexes`: a collection's indexes in `changed`, or else those that the code defines. */
function existing(changed: Readonly<Record<string, readonly Document[]>> = {}): Answers {
  const wanted: Readonly<Record<string, readonly Document[]>> = indexes;
  return {
    listIndexes: ({ listIndexes: name }) => ({
      cursor: {
        id: BSON.Long.ZERO,
        ns: `registry.${name}`,
        firstBatch: [idIndex, ...(changed[name] ?? wanted[name] ?? [])],
      },
    }),
  };
}

const untilAborted = async (signal: AbortSignal | undefined) => {
  if (signal?.aborted === false) await once(signal, "abort");
};
// A pause without a signal ends at once; the pause before the next progress report lasts until the build has ended.
const clock: Clock = { now: () => 0, sleep: (_durationMs, signal) => untilAborted(signal) };
const logger = pino({ level: "silent" });

describe("ensureIndexes", () => {
  test("waits for a majority of the replica set members to build an index, not for all members", async () => {
    const { client, commands } = await openFakeDatabase(existing());
    await ensureIndexes(client, { logger, clock });
    const creations = commands.filter(({ createIndexes }) => createIndexes !== undefined);
    const withIndexes = Object.entries(indexes).filter(([, wanted]) => wanted.length > 0);
    expect(creations.map(({ createIndexes }) => createIndexes)).toEqual(withIndexes.map(([name]) => name));
    for (const creation of creations) expect(creation.commitQuorum).toBe("majority");
  });

  test("updates an existing TTL index if its expiry differs from the expiry that this version defines", async () => {
    const old = { ...indexes.quarantine[0], expireAfterSeconds: 3_600 };
    const { client, commands } = await openFakeDatabase(existing({ quarantine: [old] }));
    await ensureIndexes(client, { logger, clock });
    const changes = commands.filter(({ collMod }) => collMod !== undefined);
    expect(changes).toMatchObject([{ collMod: "quarantine", index: { name: "life", expireAfterSeconds: 2_592_000 } }]);
  });

  test("applies the configured retention to existing TTL indexes", async () => {
    const { client, commands } = await openFakeDatabase(existing());
    const retention = { deliveryLogDays: 7, quarantineDays: 30, closedReportDays: 60, storefrontDays: 90 };
    await ensureIndexes(client, { logger, clock, retention });
    const changes = commands.filter(({ collMod }) => collMod !== undefined);
    expect(changes).toMatchObject([
      { collMod: "reports", index: { name: "life", expireAfterSeconds: 5_184_000 } },
      { collMod: "deliveries", index: { name: "life", expireAfterSeconds: 604_800 } },
      { collMod: "triggerDeliveries", index: { name: "life", expireAfterSeconds: 604_800 } },
    ]);
  });

  test("states the remedy when the database user is not permitted to change how long documents are kept", async () => {
    const old = { ...indexes.quarantine[0], expireAfterSeconds: 3_600 };
    const { client } = await openFakeDatabase({
      ...existing({ quarantine: [old] }),
      collMod: () => failure(13, "Unauthorized"),
    });
    await expect(ensureIndexes(client, { logger, clock })).rejects.toThrow(
      'The database user is not permitted to change how long documents are kept: grant it the dbAdmin role on this database, or run db.runCommand({"collMod":"quarantine","index":{"name":"life","expireAfterSeconds":2592000}})',
    );
  });

  test("refuses an existing index with a different definition and states the remedy", async () => {
    const conflict = { ...failure(86, "IndexKeySpecsConflict"), errmsg: 'Requested index: { name: "shop" }' };
    const { client } = await openFakeDatabase({ ...existing(), createIndexes: () => conflict });
    await expect(ensureIndexes(client, { logger, clock })).rejects.toThrow(
      'An index of the collection "stores" does not match the definition that this version needs: drop it with db.stores.dropIndex("<index name>"), and start the registry again (Requested index: { name: "shop" })',
    );
  });

  test("logs every ten seconds that an index build is still running, with the progress if the database user may read it", async () => {
    const { logger, lines } = captureLog();
    const build = { ns: "registry.outbox", msg: "Index Build: scanning collection", progress: { done: 7, total: 9 } };
    const views = [
      { cursor: { id: BSON.Long.ZERO, ns: "admin.$cmd", firstBatch: [build] } },
      failure(13, "Unauthorized"),
      failure(96, "OperationFailed"),
    ];
    const begun = Promise.withResolvers<void>();
    const built = Promise.withResolvers<void>();
    const { client } = await openFakeDatabase({
      ...existing({ outbox: [] }),
      createIndexes: async ({ createIndexes: name }) => {
        if (name !== "outbox") return {};
        begun.resolve();
        await built.promise;
        return {};
      },
      aggregate: ({ readConcern }) =>
        readConcern?.level === "local"
          ? (views.shift() ?? {})
          : failure(
              72,
              "InvalidOptions: aggregation stage $currentOp cannot run with a readConcern other than 'local'",
            ),
    });
    let nowMs = 0;
    const pauses: Clock = {
      now: () => nowMs,
      sleep: async (durationMs, signal) => {
        await Promise.race([begun.promise, untilAborted(signal)]);
        if (signal?.aborted) return;
        if (nowMs === 30_000) built.resolve();
        if (nowMs === 30_000) await untilAborted(signal);
        else nowMs += durationMs;
      },
    };
    await ensureIndexes(client, { logger, clock: pauses });
    expect(lines.filter(({ msg }) => msg === "still creating indexes")).toMatchObject([
      { collection: "outbox", seconds: 10, builds: [build] },
      { collection: "outbox", seconds: 20 },
      { collection: "outbox", seconds: 30, err: { message: "OperationFailed" } },
    ]);
  });

  test("waits with a change of a TTL index for a running index build, but not for ever", async () => {
    const old = { ...indexes.quarantine[0], expireAfterSeconds: 3_600 };
    const building = failure(12_587, "BackgroundOperationInProgressForNamespace");
    let nowMs = 0;
    const ticking: Clock = {
      now: () => nowMs,
      sleep: async (durationMs, signal) => {
        nowMs += signal === undefined ? durationMs : 0;
        await untilAborted(signal);
      },
    };
    const changesAfter = async (buildMs: number) => {
      const startedAt = nowMs;
      const { client, names } = await openFakeDatabase({
        ...existing({ quarantine: [old] }),
        collMod: () => (nowMs - startedAt < buildMs ? building : {}),
      });
      await ensureIndexes(client, { logger, clock: ticking });
      return names().filter((name) => name === "collMod").length;
    };
    const changes = await changesAfter(5 * 60_000);
    expect(changes).toBeGreaterThan(1);
    expect(changes).toBeLessThan(100);
    await expect(changesAfter(Number.POSITIVE_INFINITY)).rejects.toThrow(
      'An index build has kept the TTL index "life" of the collection "quarantine" from being changed for 30 minutes: wait until the build has ended (db.currentOp() shows it), and start the registry again',
    );
  });

  test.each([
    ["an election", failure(189, "PrimarySteppedDown")],
    ["an aborted build", failure(276, "IndexBuildAborted")],
    ["a lost connection", "close" as const],
  ])("retries the creation of an index after %s", async (_what, first) => {
    const answers = [first, first, first];
    const { client, commands } = await openFakeDatabase({ ...existing(), createIndexes: () => answers.shift() ?? {} });
    await ensureIndexes(client, { logger, clock });
    expect(commands.filter(({ createIndexes }) => createIndexes === "stores").length).toBeGreaterThan(2);
    expect(answers).toEqual([]);
  });

  test("logs the missing indexes that it creates and how long creating them takes, but nothing about existing indexes", async () => {
    const { logger, lines } = captureLog();
    const { client } = await openFakeDatabase(existing({ outbox: [] }));
    await ensureIndexes(client, { logger, clock });
    expect(lines).toMatchObject([
      { msg: "creating indexes", collection: "outbox", indexes: ["store_order", "fresh_of_partition"] },
      { msg: "indexes are ready", collection: "outbox", seconds: 0 },
    ]);
  });
});
