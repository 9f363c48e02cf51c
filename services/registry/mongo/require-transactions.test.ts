import { type MongoClient, MongoError, MongoErrorLabel, MongoNetworkError } from "mongodb";
import { describe, expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { requireTransactions } from "./require-transactions.ts";

interface Server {
  readonly hello: Readonly<Record<string, unknown>>;
  /** What inserts inside the transaction meet, one after another. */
  readonly insertErrors?: readonly Error[];
  /** Documents that are there after the transaction was rolled back. */
  readonly left?: number;
}

/** A client of a server that behaves like this. */
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
  const db = { command: async () => hello, collection: () => collection };
  const client = { db: () => db, startSession: () => session } as unknown as MongoClient;
  return { client, deleted };
}

const member = { setName: "rs0" };

describe("a server", () => {
  test.each([
    ["a member of a replica set", member],
    ["a sharded cluster's router", { msg: "isdbgrid" }],
  ])("that is %s and rolls back is taken", async (_what, hello) => {
    await expect(requireTransactions(clientOf({ hello }).client, systemClock)).resolves.toBeUndefined();
  });

  test("that lets two replicas that start together conflict is asked again", async () => {
    const conflict = new MongoError("write conflict");
    conflict.addErrorLabel(MongoErrorLabel.TransientTransactionError);
    const { client } = clientOf({ hello: member, insertErrors: [conflict, conflict] });
    await expect(requireTransactions(client, systemClock)).resolves.toBeUndefined();
  });

  test("that stands alone is refused, with the way out", async () => {
    await expect(requireTransactions(clientOf({ hello: {} }).client, systemClock)).rejects.toThrow(
      "The database server is not part of a replica set, so it has no transactions, and the registry cannot work without them. Use a MongoDB replica set; a single-node one will do.",
    );
  });

  test("that refuses transactions is refused, with its reason", async () => {
    const { client } = clientOf({ hello: member, insertErrors: [new Error("not implemented")] });
    await expect(requireTransactions(client, systemClock)).rejects.toThrow(
      /^The database server refuses transactions \(not implemented\), /,
    );
  });

  test("that only pretends to roll back is refused, and the probe is removed", async () => {
    const { client, deleted } = clientOf({ hello: member, left: 1 });
    await expect(requireTransactions(client, systemClock)).rejects.toThrow(
      /^The database server does not roll back transactions, /,
    );
    expect(deleted).toHaveLength(1);
  });

  test("that goes away meanwhile is not blamed: the caller waits for it", async () => {
    const insertError = new MongoNetworkError("connection closed");
    const { client } = clientOf({ hello: member, insertErrors: [insertError] });
    await expect(requireTransactions(client, systemClock)).rejects.toBe(insertError);
  });
});
