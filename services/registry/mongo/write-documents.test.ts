import {
  type ClientSession,
  type MongoClient,
  MongoClientBulkWriteError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerError,
} from "mongodb";
import { describe, expect, test } from "vitest";
import { isDuplicateKey } from "./database-error.ts";
import { RetryTransaction } from "./retry-transaction.ts";
import { documentWriter, type Write } from "./write-documents.ts";

const session = {} as ClientSession;

const insertInto = (collection: string, id: string): Write => ({
  name: "insertOne",
  namespace: `registry.${collection}`,
  document: { _id: id },
});
const change: readonly Write[] = [insertInto("certificates", "c1"), insertInto("outbox", "e1")];

/** A client that notes its commands; its `bulkWrite` fails with this error. */
function clientWhose(bulkWriteError?: Error) {
  const log: string[] = [];
  const collection = (name: string) => ({
    insertOne: async ({ _id }: { _id: string }) => void log.push(`${name}: ${_id}`),
    bulkWrite: async (all: readonly unknown[]) => void log.push(`${name}: ${all.length}`),
  });
  const bulkWrite = async (writes: readonly unknown[]) => {
    log.push(`all: ${writes.length}`);
    if (bulkWriteError !== undefined) throw bulkWriteError;
  };
  const client = { bulkWrite, db: () => ({ collection }) } as unknown as MongoClient;
  return { client, log };
}

/** What the writer throws when the server answers so. */
async function toldFor(error: Error): Promise<unknown> {
  const write = documentWriter(clientWhose(error).client, true);
  return write(change, session).then(
    () => undefined,
    (told) => told,
  );
}

function failedWrite(code: number): Error {
  const error = new MongoClientBulkWriteError({ message: "a write failed" });
  error.writeErrors.set(1, { code, message: `code ${code}` });
  return error;
}

function failedCommand(code: number, label?: string): MongoClientBulkWriteError {
  const cause = new MongoServerError({ message: "the command failed", code });
  if (label !== undefined) cause.addErrorLabel(label);
  return Object.assign(new MongoClientBulkWriteError({ message: "wrapped" }), { cause });
}

describe("writes to several collections", () => {
  test("go in one command", async () => {
    const { client, log } = clientWhose();
    await documentWriter(client, true)(change, session);
    expect(log).toEqual(["all: 2"]);
  });

  test("go in a command for each collection when they are many", async () => {
    const { client, log } = clientWhose();
    const many = ["certificates", "outbox"].flatMap((name) =>
      Array.from({ length: 500 }, (_, index) => insertInto(name, String(index))),
    );
    await documentWriter(client, true)(many, session);
    expect(log).toEqual(["certificates: 500", "outbox: 500"]);
  });

  test.each([
    ["does not know the command", 59],
    ["does not know its fields, as MongoDB 7.0", 40_415],
    ["runs with the features of MongoDB 7.0", 115],
  ])(
    "run again in a command for each collection, and so from then on, where the server %s",
    async (_what, code) => {
      const { client, log } = clientWhose(failedCommand(code));
      const write = documentWriter(client, true);
      await expect(write(change, session)).rejects.toEqual(new RetryTransaction(0));
      await write(change, session);
      await write(change, session);
      const byCollection = ["certificates: c1", "outbox: e1"];
      expect(log).toEqual(["all: 2", ...byCollection, ...byCollection]);
    },
  );
});

describe("what fails in one command is told as any other failure", () => {
  test("a duplicate key", async () => {
    const told = await toldFor(failedWrite(11_000));
    expect(isDuplicateKey(told)).toBe(true);
    expect(told).toHaveProperty("message", "code 11000");
  });

  test.each([
    ["of the whole command", failedCommand(112, MongoErrorLabel.TransientTransactionError)],
    ["of one write", failedWrite(112)],
  ])("a conflict, %s", async (_what, error) => {
    const told = await toldFor(error);
    expect(told).toMatchObject({ code: 112 });
    expect(told).toSatisfy(
      (it) => it instanceof MongoServerError && it.hasErrorLabel(MongoErrorLabel.TransientTransactionError),
    );
  });

  test("the network", async () => {
    const error = new MongoNetworkError("connection closed");
    expect(await toldFor(error)).toBe(error);
  });
});
