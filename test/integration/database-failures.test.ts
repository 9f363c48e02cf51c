import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { Document, MongoClientOptions } from "mongodb";
import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { createLogger } from "#shared/observe/logger.ts";
import { steadyClock, systemClock } from "#shared/time/clock.ts";
import { MongoDeliveries } from "../../services/registry/mongo/deliveries/mongo-deliveries.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { databaseCall } from "../../services/registry/mongo/driver/database-error.ts";
import { snapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { runTransaction } from "../../services/registry/mongo/driver/run-transaction.ts";
import { operationTimeLimitMs } from "../../services/registry/mongo/driver/time-limits.ts";
import { isDuplicateKey } from "../../services/registry/mongo/driver/transient-error.ts";
import { connectMongo } from "../../services/registry/mongo/opening/connect-mongo.ts";
import { openWhenAvailable } from "../../services/registry/mongo/opening/open-when-available.ts";
import { MongoOutbox } from "../../services/registry/mongo/outbox/mongo-outbox.ts";
import { createSecretBox } from "../../services/registry/secrets/secret-box.ts";
import {
  type Answer,
  type Answers,
  type Command,
  failure,
  helloOf,
  openFakeDatabase,
  startFakeDatabase,
} from "../harness/fake-database.ts";

/** Starts a fake database that sends these replies, and creates a client for it. */
async function openFake(answers: Answers, options: MongoClientOptions = {}) {
  const database = await openFakeDatabase(answers, {
    serverSelectionTimeoutMS: 10_000,
    minHeartbeatFrequencyMS: 20,
    heartbeatFrequencyMS: 50,
    writeConcern: { w: "majority", journal: true, wtimeoutMS: 10_000 },
    ...options,
  });
  return { ...database, claims: database.client.db().collection<{ _id: string }>("deliveries") };
}

/** Returns a function that returns these replies in order, and then successful ones. */
function inOrder(...answers: readonly Answer[]): () => Answer {
  const left = [...answers];
  return () => left.shift() ?? {};
}

const writeConcernError = (code: number, codeName: string): Document => ({
  writeConcernError: { code, codeName, errmsg: codeName },
});
// Shorter than the simulated elections, but long enough for the first connection.
const givesUpSoon = { serverSelectionTimeoutMS: 3_000 };
const secondary = (address: string) => ({
  ...helloOf(address),
  isWritablePrimary: false,
  ismaster: false,
  secondary: true,
});

describe("databaseCall reports unavailable", () => {
  test.each([
    [6, "HostUnreachable"],
    [43, "CursorNotFound"],
    [89, "NetworkTimeout"],
    [91, "ShutdownInProgress"],
    [189, "PrimarySteppedDown"],
    [262, "ExceededTimeLimit"],
    [9001, "SocketException"],
    [10_107, "NotWritablePrimary"],
    [11_600, "InterruptedAtShutdown"],
    [11_602, "InterruptedDueToReplStateChange"],
    [13_435, "NotPrimaryNoSecondaryOk"],
    [13_436, "NotPrimaryOrSecondary"],
    [365, "TemporarilyUnavailable"],
    [433, "AdmissionQueueOverflow"],
    [449, "RateLimitExceeded"],
    [450, "PooledConnectionAcquisitionRejected"],
    [462, "IngressRequestRateLimitExceeded"],
  ])("for reads, writes and batches of writes that fail with code %i (%s)", async (code, codeName) => {
    const fails = () => failure(code, codeName);
    const { claims } = await openFake({ find: fails, insert: fails, update: fails });
    const unavailable = expect.objectContaining({ code: "unavailable" });
    await expect(databaseCall(() => claims.findOne({}))).rejects.toEqual(unavailable);
    await expect(databaseCall(() => claims.insertMany([{ _id: "a" }, { _id: "b" }]))).rejects.toEqual(unavailable);
    await expect(databaseCall(() => claims.updateOne({}, { $set: { at: 1 } }))).rejects.toEqual(unavailable);
  });

  test.each(["SystemOverloadedError", "RetryableError"])("for an error with the label %s", async (label) => {
    const fails = () => failure(5_000_000, "Overload", label);
    const { claims } = await openFake({ find: fails, insert: fails });
    const unavailable = expect.objectContaining({ code: "unavailable" });
    await expect(databaseCall(() => claims.findOne({}))).rejects.toEqual(unavailable);
    await expect(databaseCall(() => claims.insertMany([{ _id: "a" }, { _id: "b" }]))).rejects.toEqual(unavailable);
  });

  test("for a batch that finds no primary, although the driver wraps the error", async () => {
    let isElected = true;
    const hello = (_command: Command, address: string) => (isElected ? helloOf(address) : secondary(address));
    const fake = await openFake({ hello, ping: () => failure(189, "PrimarySteppedDown") }, givesUpSoon);
    await fake.client.connect();
    isElected = false;
    await fake.client
      .db()
      .command({ ping: 1 })
      .catch(() => undefined);
    const inserting = databaseCall(() => fake.claims.insertMany([{ _id: "a" }]));
    await expect(inserting).rejects.toMatchObject({ code: "unavailable" });
  });

  test("for reads and batches that get no connection in time", async () => {
    const options = { maxPoolSize: 1, waitQueueTimeoutMS: 1_000 };
    const { client, claims } = await openFake({ find: () => "silence" }, options);
    await client.connect();
    const holder = new AbortController();
    const holding = claims.findOne({}, { signal: holder.signal }).catch(() => undefined);
    await once(client, "connectionCheckedOut");
    const unavailable = expect.objectContaining({ code: "unavailable" });
    await Promise.all([
      expect(databaseCall(() => claims.findOne({}))).rejects.toEqual(unavailable),
      expect(databaseCall(() => claims.insertMany([{ _id: "a" }]))).rejects.toEqual(unavailable),
    ]);
    holder.abort();
    await holding;
  });

  test("for a write that a majority did not acknowledge in time", async () => {
    const { claims } = await openFake({ insert: () => ({ n: 1, ...writeConcernError(64, "WriteConcernTimeout") }) });
    await expect(databaseCall(() => claims.insertOne({ _id: "a" }))).rejects.toMatchObject({ code: "unavailable" });
    await expect(databaseCall(() => claims.insertMany([{ _id: "a" }]))).rejects.toMatchObject({ code: "unavailable" });
  });

  test("for a batch with duplicate keys whose other documents a majority did not acknowledge", async () => {
    const duplicate = { index: 0, code: 11_000, errmsg: "E11000 duplicate key" };
    const reply = { n: 1, writeErrors: [duplicate], ...writeConcernError(64, "WriteConcernTimeout") };
    const { claims } = await openFake({ insert: () => reply });
    const inserting = databaseCall(() => claims.insertMany([{ _id: "a" }, { _id: "b" }], { ordered: false }));
    const error = await inserting.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: "unavailable" });
    expect(isDuplicateKey((error as ServiceError).cause)).toBe(false);
  });
});

test("MongoDeliveries grants no claim of a batch that a majority did not acknowledge", async () => {
  const duplicate = { index: 0, code: 11_000, errmsg: "E11000 duplicate key" };
  const reply = { n: 1, writeErrors: [duplicate], ...writeConcernError(64, "WriteConcernTimeout") };
  const { client } = await openFake({ insert: () => reply });
  const nothing = () => undefined;
  const records = new MongoDeliveries({
    collections: collectionsOf(client.db()),
    clock: systemClock,
    onSettled: nothing,
    onRecorded: nothing,
    box: createSecretBox([new Uint8Array(32)]),
  });
  const request = { storeId: "s", certificateId: "c", type: EventType.REVOKED, requestedBy: "", attemptToken: "" };
  const claiming = records.claim(
    ["evt_1", "evt_2"].map((eventId) => ({ ...request, eventId, queuedAt: undefined })),
    { claimedBy: "n", claimedAt: new Date() },
  );
  await expect(claiming).rejects.toMatchObject({ code: "unavailable" });
});

test("MongoOutbox reports unavailable when the look-up of an event fails", async () => {
  const { client } = await openFake({ find: () => failure(189, "PrimarySteppedDown") });
  const readSnapshot = snapshotReader(client);
  const collections = collectionsOf(client.db());
  const outbox = new MongoOutbox({ collections, readSnapshot, transactionLifetimeSeconds: 15 });
  await expect(outbox.findUnsettled(["evt_1"])).rejects.toMatchObject({ code: "unavailable" });
});

describe("connectMongo", () => {
  const logger = createLogger("registry", "silent");
  const interruption = failure(11_602, "InterruptedDueToReplStateChange");

  test("refuses the router of a sharded cluster with a message that states the remedy", async () => {
    const { hosts: _hosts, setName: _setName, ...hello } = helloOf("");
    await using router = await startFakeDatabase({ hello: () => ({ ...hello, msg: "isdbgrid" }) });
    await expect(connectMongo(router.uri)).rejects.toThrow(
      /^The database server is a mongos, .* Use a MongoDB replica set; a single node is sufficient\.$/,
    );
  });

  test("lets operations wait for connections that take longer than a second to open, as on a busy machine", async () => {
    let helloMs = 0;
    let finds = 0;
    const together = Promise.withResolvers<void>();
    await using database = await startFakeDatabase({
      hello: async (_command, address) => {
        await setTimeout(helloMs);
        return helloOf(address);
      },
      // Only answered together, so that each needs a connection of its own.
      find: async () => {
        if (++finds === 3) together.resolve();
        await together.promise;
        return {};
      },
    });
    await using client = await connectMongo(database.uri);
    helloMs = 1_200;
    const claims = client.db().collection("claims");
    expect(await Promise.all([1, 2, 3].map(() => claims.findOne({})))).toEqual([null, null, null]);
    expect(client.options.waitQueueTimeoutMS).toBe(operationTimeLimitMs);
  });

  test("is retried by openWhenAvailable after an election at startup", async () => {
    await using database = await startFakeDatabase({
      insert: inOrder(failure(10_107, "NotWritablePrimary"), failure(91, "ShutdownInProgress")),
      // The driver itself retries a read once.
      aggregate: inOrder(interruption, interruption),
    });
    const { signal } = new AbortController();
    const client = await openWhenAvailable(() => connectMongo(database.uri), { clock: steadyClock, logger, signal });
    await client?.close();
  });
});

describe("runTransaction", () => {
  /** Runs a transaction with one insertion. @returns how often its body ran */
  async function insertOnce({ client, claims }: Awaited<ReturnType<typeof openFake>>): Promise<number> {
    let runs = 0;
    return runTransaction(client, async (session) => {
      runs++;
      await claims.insertOne({ _id: "a" }, { session });
      return { commit: true, value: runs };
    });
  }

  test.each([
    ["an election", failure(189, "PrimarySteppedDown")],
    ["an election on an old server", failure(10_107, "NotWritablePrimary")],
    ["a shutdown", failure(91, "ShutdownInProgress")],
    ["an interruption", failure(11_602, "InterruptedDueToReplStateChange")],
    ["a missing acknowledgement", writeConcernError(64, "WriteConcernTimeout")],
    ["a lost connection", "close" as const],
    ["the end of the session", failure(11_601, "Interrupted")],
    ["the end of the transaction's lifetime", failure(290, "TransactionExceededLifetimeLimitSeconds")],
  ])("retries the commit, not the change, after %s", async (_what, answer) => {
    const fake = await openFake({ commitTransaction: inOrder(answer, answer, answer) });
    expect(await insertOnce(fake)).toBe(1);
    expect(fake.names().filter((name) => name === "commitTransaction")).toHaveLength(4);
  });

  test("retries the commit until a primary is available again", async () => {
    let electedAt = 0;
    const answers: Answers = {
      commitTransaction: () => {
        if (fake.names().filter((name) => name === "commitTransaction").length > 1) return {};
        electedAt = performance.now() + 4_000;
        return "close";
      },
      hello: (_command, address) => (performance.now() < electedAt ? secondary(address) : helloOf(address)),
    };
    const fake = await openFake(answers, givesUpSoon);
    expect(await insertOnce(fake)).toBe(1);
    expect(fake.names().filter((name) => name === "commitTransaction")).toHaveLength(2);
  });

  test.each([
    [91, "ShutdownInProgress"],
    [189, "PrimarySteppedDown"],
    [10_107, "NotWritablePrimary"],
    [11_602, "InterruptedDueToReplStateChange"],
    // A session that another replica has ended; the server adds no label to a command that was running.
    [11_601, "Interrupted"],
    [290, "TransactionExceededLifetimeLimitSeconds"],
  ])("retries a change whose write failed with code %i (%s)", async (code, codeName) => {
    const fake = await openFake({ insert: inOrder(failure(code, codeName)) });
    expect(await insertOnce(fake)).toBe(2);
  });

  test("retries the change when a retried commit reports that the server has rolled the transaction back", async () => {
    const rolledBack = failure(251, "NoSuchTransaction", "TransientTransactionError");
    const fake = await openFake({ commitTransaction: inOrder(failure(189, "PrimarySteppedDown"), rolledBack) });
    expect(await insertOnce(fake)).toBe(2);
  });
});
