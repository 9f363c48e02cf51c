import { describe, expect, test } from "vitest";
import { databaseCall } from "../../services/registry/mongo/driver/database-error.ts";
import { findSnapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { runTransaction } from "../../services/registry/mongo/driver/run-transaction.ts";
import { keepsSnapshots } from "../../services/registry/mongo/opening/page-reads.ts";
import { type FaultyDatabase, openFaultyDatabase } from "./faulty-database.ts";

const transient = ["TransientTransactionError"];
const unavailable = expect.objectContaining({ code: "unavailable" });

const faultsOf = ({ client }: FaultyDatabase) => client.db().collection<{ _id: string }>("faults");

/** Inserts a document in a transaction. @returns how often the transaction's body ran */
function insertInTransaction(database: FaultyDatabase, id: string, timeLimitMs?: number): Promise<number> {
  let runs = 0;
  const options = timeLimitMs === undefined ? {} : { timeLimitMs };
  return databaseCall(() =>
    runTransaction(
      database.client,
      async (session) => {
        runs++;
        await faultsOf(database).insertOne({ _id: id }, { session });
        return { commit: true, value: runs };
      },
      options,
    ),
  );
}

async function expectStored(database: FaultyDatabase, ids: readonly string[]): Promise<void> {
  if (database.isReal) expect((await faultsOf(database).find().toArray()).map(({ _id }) => _id)).toEqual(ids);
}

test("MongoDB keeps snapshots outside of transactions, so that pages are read without one", async (context) => {
  const { isReal, client } = await openFaultyDatabase(context);
  if (!isReal) return context.skip("the server is no MongoDB");
  expect(await keepsSnapshots(client)).toBe(true);
});

describe("a change in a transaction", () => {
  test.for([
    [112, "WriteConflict", transient],
    [24, "LockTimeout", transient],
    [251, "NoSuchTransaction", transient],
    [239, "SnapshotTooOld", transient],
    [246, "SnapshotUnavailable", transient],
    [11_601, "Interrupted", []],
    [290, "TransactionExceededLifetimeLimitSeconds", []],
  ] as const)(
    "runs again after a write failed with %i (%s), and is stored once",
    async ([code, codeName, labels], context) => {
      const database = await openFaultyDatabase(context);
      await database.fail({ command: "insert", code, codeName, labels, times: 1 });
      expect(await insertInTransaction(database, "a")).toBe(2);
      await expectStored(database, ["a"]);
    },
  );

  test.for([
    [365, "TemporarilyUnavailable", []],
    [462, "IngressRequestRateLimitExceeded", ["SystemOverloadedError", "RetryableError"]],
  ] as const)(
    "is unavailable, and not stored, while writes fail with %i (%s)",
    async ([code, codeName, labels], context) => {
      const database = await openFaultyDatabase(context);
      await database.fail({ command: "insert", code, codeName, labels, times: "always" });
      await expect(insertInTransaction(database, "a", 1_000)).rejects.toEqual(unavailable);
      await expectStored(database, []);
    },
  );

  test.for([
    [11_601, "Interrupted"],
    [290, "TransactionExceededLifetimeLimitSeconds"],
    [365, "TemporarilyUnavailable"],
  ] as const)(
    "commits again, without running again, after its commit failed with %i (%s)",
    async ([code, codeName], context) => {
      const database = await openFaultyDatabase(context);
      await database.fail({ command: "commitTransaction", code, codeName, times: 1 });
      expect(await insertInTransaction(database, "a")).toBe(1);
      await expectStored(database, ["a"]);
    },
  );

  test("runs again after its commit reported that the server has rolled it back (251)", async (context) => {
    const database = await openFaultyDatabase(context);
    const codeName = "NoSuchTransaction";
    await database.fail({ command: "commitTransaction", code: 251, codeName, labels: transient, times: 1 });
    expect(await insertInTransaction(database, "a")).toBe(2);
    await expectStored(database, ["a"]);
  });
});

describe("a page of the list", () => {
  const readPage = (database: FaultyDatabase) =>
    databaseCall(() =>
      findSnapshotReader()((options) => faultsOf(database).find({}, options).sort({ _id: 1 }).toArray()),
    );

  test.for([
    [239, "SnapshotTooOld"],
    [246, "SnapshotUnavailable"],
  ] as const)("is read again after the read failed with %i (%s)", async ([code, codeName], context) => {
    const database = await openFaultyDatabase(context);
    await database.fail({ command: "find", code, codeName, times: 2 });
    expect(await readPage(database)).toEqual([]);
  });

  test.for([
    [24, "LockTimeout"],
    [239, "SnapshotTooOld"],
    [246, "SnapshotUnavailable"],
    [365, "TemporarilyUnavailable"],
    [462, "IngressRequestRateLimitExceeded"],
    [11_601, "Interrupted"],
  ] as const)("is unavailable while reads fail with %i (%s)", async ([code, codeName], context) => {
    const database = await openFaultyDatabase(context);
    await database.fail({ command: "find", code, codeName, times: "always" });
    await expect(readPage(database)).rejects.toEqual(unavailable);
  });
});
