import { Long, Timestamp } from "mongodb";
import { expect, test } from "vitest";
import { startDatabaseProxy } from "../harness/database-proxy.ts";
import { startFakeDatabase } from "../harness/fake-database.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { closing } from "./notifier-rig.ts";
import { backup } from "./restore-rig.ts";

// MongoDB returns `atClusterTime` in the cursor of the first read. Later reads that specify it see the same data:
// https://www.mongodb.com/docs/manual/reference/read-concern-snapshot/#read-concern-and-atclustertime
test("reads every collection as of the time that the server chose for the first read", async (context) => {
  const atClusterTime = Timestamp.fromBits(1, 1_800_000_000);
  const cursor = { id: Long.ZERO, ns: "registry.fake", firstBatch: [], atClusterTime };
  await using database = await startFakeDatabase({ find: () => ({ cursor }) });
  const folder = await openTemporaryFolder("backup-reads", context.onTestFinished);
  expect(await backup(database, "save", "--folder", `${folder}/b`)).toMatchObject({ code: 0 });
  const reads = database.commands.filter((command) => "find" in command);
  expect(reads.length).toBeGreaterThan(10);
  const [first, ...later] = reads.map(({ readConcern }) => readConcern);
  expect(first).toEqual({ level: "snapshot" });
  for (const readConcern of later) expect(readConcern).toEqual({ level: "snapshot", atClusterTime });
});

test("fails when the database stops replying, so that the next backup can run", async (context) => {
  const database = closing(context, await openTestDatabase());
  const proxy = closing(context, await startDatabaseProxy(database.uri));
  proxy.hold("find certificates");
  const folder = await openTemporaryFolder("backup-reads", context.onTestFinished);
  const args = ["--folder", `${folder}/b`, "--reads", "transaction", "--reply-timeout", "1"];
  const { code, error } = await backup(proxy, "save", ...args);
  expect(code).toBe(1);
  expect(error).toContain("timed out");
});
