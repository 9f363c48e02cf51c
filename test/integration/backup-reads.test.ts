import { writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { BSON, Long, Timestamp } from "mongodb";
import { expect, test } from "vitest";
import { probesName } from "../../services/registry/mongo/opening/require-transactions.ts";
import { startDatabaseProxy } from "../harness/database-proxy.ts";
import { type Command, type FakeDatabase, failure, startFakeDatabase } from "../harness/fake-database.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { backup } from "./restore-rig.ts";

/** Returns the reads of the backup's collections. */
const readsOf = ({ commands }: FakeDatabase) =>
  commands.filter((command) => "find" in command && command.find !== probesName);

// MongoDB returns `atClusterTime` in the cursor of the first read. Later reads that specify it see the same data:
// https://www.mongodb.com/docs/manual/reference/read-concern-snapshot/#read-concern-and-atclustertime
test("reads every collection as of the time that the server chose for the first read", async (context) => {
  const atClusterTime = Timestamp.fromBits(1, 1_800_000_000);
  const cursor = { id: Long.ZERO, ns: "registry.fake", firstBatch: [], atClusterTime };
  await using database = await startFakeDatabase({ find: () => ({ cursor }) });
  const folder = await openTemporaryFolder("backup-reads", context.onTestFinished);
  expect(await backup(database, "save", "--folder", `${folder}/b`)).toMatchObject({ code: 0 });
  const [first, ...later] = readsOf(database).map(({ readConcern }) => readConcern);
  expect(first).toEqual({ level: "snapshot" });
  expect(later.length).toBeGreaterThan(10);
  for (const readConcern of later) expect(readConcern).toEqual({ level: "snapshot", atClusterTime });
});

test("reads in one transaction if the server ignores the time of a snapshot, and refuses to read such snapshots", async (context) => {
  // Returns a document that is younger than the snapshot.
  const findOf = ({ find }: Command) => {
    const isProbe = find === probesName;
    return { cursor: { id: Long.ZERO, ns: "registry.fake", firstBatch: isProbe ? [{ _id: "later" }] : [] } };
  };
  await using database = await startFakeDatabase({ find: findOf });
  const folder = await openTemporaryFolder("backup-reads", context.onTestFinished);
  expect(await backup(database, "save", "--folder", `${folder}/b`)).toMatchObject({ code: 0 });
  const reads = readsOf(database);
  expect(reads.length).toBeGreaterThan(10);
  expect(new Set(reads.map(({ txnNumber, autocommit }) => `${txnNumber} ${autocommit}`)).size).toBe(1);
  expect(reads[0]).toMatchObject({ startTransaction: true, readConcern: { level: "snapshot" } });
  expect(database.names().at(-1)).toBe("endSessions");
  expect(database.names()).toContain("commitTransaction");
  const refused = await backup(database, "save", "--folder", `${folder}/c`, "--reads", "snapshot");
  expect([refused.code, refused.error]).toEqual([1, expect.stringContaining("Use --reads auto.")]);
  expect(await readdir(folder)).toEqual(["b"]);
});

test("deletes the files of a backup that fails, so that failed ones do not fill the volume", async (context) => {
  const findOf = ({ find }: Command) => (find === "history" ? failure(239, "SnapshotTooOld") : {});
  await using database = await startFakeDatabase({ find: findOf });
  const folder = await openTemporaryFolder("backup-reads", context.onTestFinished);
  const failed = await backup(database, "save", "--folder", folder);
  expect([failed.code, failed.error]).toEqual([1, expect.stringContaining("SnapshotTooOld")]);
  expect(await readdir(folder)).toEqual([]);
});

test("keeps the files of another backup that is saved to the same folder at the same time", async (context) => {
  const folder = await openTemporaryFolder("backup-reads", context.onTestFinished);
  const findOf = ({ find }: Command) => {
    if (find === "history") writeFileSync(`${folder}/deliveries.bson`, "");
    return {};
  };
  await using database = await startFakeDatabase({ find: findOf });
  const failed = await backup(database, "save", "--folder", folder);
  expect([failed.code, failed.error]).toEqual([1, expect.stringContaining("EEXIST")]);
  expect(await readdir(folder)).toContain("deliveries.bson");
});

test("reads in a transaction if the server does not show whether it keeps snapshots, and in a snapshot if asked to", async (context) => {
  const findOf = ({ find }: Command) => (find === probesName ? failure(72, "InvalidOptions") : {});
  await using database = await startFakeDatabase({ find: findOf });
  const folder = await openTemporaryFolder("backup-reads", context.onTestFinished);
  const kindsOf = async (reads: string) => {
    const before = readsOf(database).length;
    const { code } = await backup(database, "save", "--folder", `${folder}/${reads}`, "--reads", reads);
    expect(code).toBe(0);
    return new Set(
      readsOf(database)
        .slice(before)
        .map(({ autocommit }) => (autocommit === false ? "transaction" : "snapshot")),
    );
  };
  expect(await kindsOf("auto")).toEqual(new Set(["transaction"]));
  expect(await kindsOf("snapshot")).toEqual(new Set(["snapshot"]));
});

test("restores large documents in batches of a few megabytes, so that they fit into the memory of a small machine", async (context) => {
  await using database = await startFakeDatabase({ insert: ({ documents }) => ({ n: documents.length }) });
  const folder = await openTemporaryFolder("backup-reads", context.onTestFinished);
  const parts = Array.from({ length: 60 }, (_, index) =>
    BSON.serialize({ _id: index, content: Buffer.alloc(250_000) }),
  );
  writeFileSync(`${folder}/importParts.bson`, Buffer.concat(parts));
  writeFileSync(
    `${folder}/backup.json`,
    JSON.stringify({ takenAt: "2026-11-22T08:00:00.000Z", counts: { importParts: 60 } }),
  );
  expect(await backup(database, "restore", "--folder", folder)).toMatchObject({ code: 0 });
  const batches = database.commands.filter(({ insert }) => insert === "importParts");
  expect(batches.map(({ documents }) => documents.length)).toEqual([17, 17, 17, 9]);
});

test("fails when the database stops replying, so that the next backup can run", async (context) => {
  const database = await openTestDatabase(context.onTestFinished);
  const proxy = await startDatabaseProxy(database.uri, context.onTestFinished);
  proxy.hold("find certificates");
  const folder = await openTemporaryFolder("backup-reads", context.onTestFinished);
  const args = ["--folder", `${folder}/b`, "--reads", "transaction", "--reply-timeout", "1"];
  const { code, error } = await backup(proxy, "save", ...args);
  expect(code).toBe(1);
  expect(error).toContain("timed out");
});
