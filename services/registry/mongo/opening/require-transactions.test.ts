import { type MongoClient, MongoError, MongoErrorLabel, MongoNetworkError, MongoServerError } from "mongodb";
import { describe, expect, test } from "vitest";
import { requireTransactions } from "./require-transactions.ts";

interface Server {
  readonly hello: Readonly<Record<string, unknown>>;
  /** Errors thrown by the first inserts inside the transaction, in order; later inserts succeed. */
  readonly insertErrors?: readonly Error[];
  /** Number of probe documents found after the rollback. */
  readonly left?: number;
}

/** Creates a client of this server; `deleted` collects the filters of its deletes. */
function clientOf({ hello, insertErrors = [], left = 0 }: Server) {
  const deleted: unknown[] = [];
  const failures = [...insertErrors];
  const collection = {
    insertOne: async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    },
    countDocuments: async () => left,
    deleteOne: async (filter: unknown) => void deleted.push(filter),
  };
  const nothing = async () => undefined;
  const session = { startTransaction: () => undefined, abortTransaction: nothing, endSession: nothing };
  const db = { databaseName: "certificates", command: async () => hello, collection: () => collection };
  const client = { db: () => db, startSession: () => session } as unknown as MongoClient;
  return { client, deleted };
}

const member = { setName: "rs0" };

describe("requireTransactions", () => {
  test("accepts a member of a replica set that rolls back transactions", async () => {
    await expect(requireTransactions(clientOf({ hello: member }).client)).resolves.toBeUndefined();
  });

  test("rejects a sharded cluster's router, naming the remedy", async () => {
    await expect(requireTransactions(clientOf({ hello: { msg: "isdbgrid" } }).client)).rejects.toThrow(
      "The database server is a mongos, which the registry does not support, because mongos routers do not share a clock. Use a MongoDB replica set; a single node is sufficient.",
    );
  });

  test("retries a write conflict and a lost connection", async () => {
    const conflict = new MongoError("write conflict");
    conflict.addErrorLabel(MongoErrorLabel.TransientTransactionError);
    const { client } = clientOf({
      hello: member,
      insertErrors: [conflict, new MongoNetworkError("connection closed"), conflict],
    });
    await expect(requireTransactions(client)).resolves.toBeUndefined();
  });

  test("rejects a standalone server, naming the remedy", async () => {
    await expect(requireTransactions(clientOf({ hello: {} }).client)).rejects.toThrow(
      "The database server is not part of a replica set, so it does not support transactions, and the registry requires them. Use a MongoDB replica set; a single node is sufficient.",
    );
  });

  test("rejects a server without transaction support, naming the reason", async () => {
    const { client } = clientOf({ hello: member, insertErrors: [new Error("not implemented")] });
    await expect(requireTransactions(client)).rejects.toThrow(
      /^The database server rejected a transaction \(not implemented\)\. /,
    );
  });

  test("names the missing roles, instead of a replica set, to a user who may not write", async () => {
    const denied = new MongoServerError({ code: 13, message: "not authorized on certificates to execute command" });
    const { client } = clientOf({ hello: member, insertErrors: [denied] });
    await expect(requireTransactions(client)).rejects.toThrow(
      "The database server rejected a transaction (not authorized on certificates to execute command). Grant the database user the roles readWrite and dbAdmin on the database certificates.",
    );
  });

  test("rejects a server that does not roll back transactions, and removes the probe document", async () => {
    const { client, deleted } = clientOf({ hello: member, left: 1 });
    await expect(requireTransactions(client)).rejects.toThrow(/^The database server does not roll back transactions, /);
    expect(deleted).toHaveLength(1);
  });
});
