import { once } from "node:events";
import { BSON, UUID } from "mongodb";
import { describe, expect, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import type { Clock } from "#shared/time/clock.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import type { ReplicaDocument } from "../../services/registry/mongo/documents/documents.ts";
import { DatabaseClock } from "../../services/registry/mongo/driver/database-clock.ts";
import { documentVersion } from "../../services/registry/mongo/migrations/migration.ts";
import { killSessionsOf, ReplicaHeartbeat } from "../../services/registry/mongo/opening/replica-heartbeat.ts";
import { missedMax } from "../../services/registry/mongo/opening/replica-watch.ts";
import { type Answers, failure, openFakeDatabase } from "../harness/fake-database.ts";

// Pauses last until they are aborted, so that `start` calls `beat` only once; the tests make all other calls.
const clock: Clock = {
  now: () => 0,
  sleep: async (_durationMs, signal) => {
    if (signal?.aborted === false) await once(signal, "abort");
    else if (signal === undefined) await new Promise(() => undefined);
  },
};

/** Creates a heartbeat on a fake database that contains the record of another replica, which sends no heartbeats. */
async function openHeartbeat(other: ReplicaDocument, answers: Answers = {}) {
  const cursor = { id: BSON.Long.ZERO, ns: "registry.replicas", firstBatch: [other] };
  const findAndModify = () => ({ value: { _id: "own", at: new Date(databaseMs) } });
  const replies = { find: () => ({ cursor }), findAndModify, ...answers };
  const { client, commands } = await openFakeDatabase(replies, { retryWrites: false });
  const { logger, lines } = captureLog();
  const { replicas } = collectionsOf(client.db());
  const databaseClock = new DatabaseClock(clock);
  const own = { replica: "own", publishesAutomationEvents: false, documentVersion };
  const heartbeat = new ReplicaHeartbeat({ client, replicas, ...own, clock, databaseClock, logger });
  const sent = (name: string) => commands.filter((command) => command[name] !== undefined);
  return { heartbeat, databaseClock, lines, sent };
}

/** Returns the command that stores a heartbeat with one session. */
function heartbeatWith(session: UUID) {
  const heartbeat = { $mergeObjects: [{ $literal: { _id: "own", sessions: [session] } }, { at: "$$NOW" }] };
  return { query: { _id: "own" }, update: [{ $replaceWith: heartbeat }] };
}

const databaseMs = Date.UTC(2030, 0, 1);
const sessions = [new UUID(), new UUID()];
const started = { publishesAutomationEvents: false, at: new Date(databaseMs) };
const killed: ReplicaDocument = { _id: "killed", beat: 7, documentVersion, ...started, sessions };

describe("ReplicaHeartbeat", () => {
  test("ends exactly the recorded sessions of a replica whose heartbeat has stopped", async () => {
    const { heartbeat, sent, lines } = await openHeartbeat(killed, { delete: () => ({ n: 1 }) });
    for (let count = 0; count < missedMax; count++) await heartbeat.beat();
    expect(sent("killSessions")).toEqual([]);
    await heartbeat.beat();
    expect(sent("killSessions")).toMatchObject([{ killSessions: sessions.map((id) => ({ id })), $db: "admin" }]);
    expect(sent("delete")).toMatchObject([{ deletes: [{ q: { _id: "killed", beat: 7 } }] }]);
    expect(lines).toMatchObject([
      { msg: "ended the sessions of a replica that stopped", replica: "killed", sessions: 2 },
    ]);
  });

  test("never sends killSessions with an empty list, which would end the sessions of all clients", async () => {
    const { heartbeat, sent } = await openHeartbeat({ ...killed, sessions: [] });
    for (let count = 0; count <= missedMax; count++) await heartbeat.beat();
    expect(sent("delete")).toHaveLength(1);
    expect(sent("killSessions")).toEqual([]);
    expect(killSessionsOf([])).toBeUndefined();
  });

  test("keeps the record of a killed replica until the replica's sessions have been ended", async () => {
    const answers = [failure(189, "PrimarySteppedDown"), {}];
    const { heartbeat, sent } = await openHeartbeat(killed, { killSessions: () => answers.shift() ?? {} });
    for (let count = 0; count < missedMax; count++) await heartbeat.beat();
    await expect(heartbeat.beat()).rejects.toThrow("PrimarySteppedDown");
    expect(sent("delete")).toEqual([]);
    await heartbeat.beat();
    expect(sent("delete")).toHaveLength(1);
  });

  test("neither checks other replicas nor ends their sessions while it cannot store its own heartbeat", async () => {
    const { heartbeat, sent } = await openHeartbeat(killed, {
      findAndModify: () => failure(189, "PrimarySteppedDown"),
    });
    for (let count = 0; count <= missedMax; count++) await expect(heartbeat.beat()).rejects.toThrow();
    expect(sent("find")).toEqual([]);
    expect(sent("killSessions")).toEqual([]);
  });

  test.each([
    [13, "Unauthorized"],
    [59, "CommandNotFound"],
    [115, "CommandNotSupported"],
    [8_000, "AtlasError"],
  ])(
    "stores heartbeats and removes those of stopped replicas, and only ends no session, if the server refuses killSessions with code %i (%s)",
    async (code, codeName) => {
      const { heartbeat, sent, lines } = await openHeartbeat(killed, { killSessions: () => failure(code, codeName) });
      await heartbeat.start();
      const session = { id: { id: new UUID() } };
      await heartbeat.record(session);
      expect(sent("findAndModify").at(-1)).toMatchObject(heartbeatWith(session.id.id));
      for (let count = 0; count <= missedMax; count++) await heartbeat.beat();
      // The fake database keeps returning the removed record.
      expect(sent("delete")[0]).toMatchObject({ deletes: [{ q: { _id: "killed", beat: 7 } }] });
      await heartbeat.stop();
      expect(sent("delete").at(-1)).toMatchObject({ deletes: [{ q: { _id: "own" } }] });
      // The attempt at start; none for the sessions of the killed replica.
      expect(sent("killSessions")).toHaveLength(1);
      const warnings = lines.filter(({ msg }) => String(msg).includes("the database does not end sessions"));
      expect(warnings).toHaveLength(1);
    },
  );

  test("stores a session before `record` resolves, and deletes its own document when it stops", async () => {
    const { heartbeat, sent } = await openHeartbeat(killed);
    await heartbeat.start();
    const session = { id: { id: new UUID() } };
    await heartbeat.record(session);
    expect(sent("findAndModify").at(-1)).toMatchObject(heartbeatWith(session.id.id));
    await heartbeat.stop();
    expect(sent("delete")).toMatchObject([{ deletes: [{ q: { _id: "own" } }] }]);
  });

  test("knows the database's time once it has started, and does not start without it", async () => {
    const { heartbeat, databaseClock } = await openHeartbeat(killed);
    await heartbeat.start();
    expect(databaseClock.now()).toBe(databaseMs);
    await heartbeat.stop();
    const failing = await openHeartbeat(killed, { findAndModify: () => failure(189, "PrimarySteppedDown") });
    await expect(failing.heartbeat.start()).rejects.toThrow("PrimarySteppedDown");
  });
});
