import {
  type ClientSession,
  type MongoClient,
  MongoClientBulkWriteError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerError,
} from "mongodb";
import { describe, expect, test } from "vitest";
import { RetryTransaction } from "./run-transaction.ts";
import { isDuplicateKey } from "./transient-error.ts";
import { documentWriter, type Write } from "./write-documents.ts";

const session = {} as ClientSession;

const insertInto = (collection: string, id: string): Write => ({
  name: "insertOne",
  namespace: `registry.${collection}`,
  document: { _id: id },
});
const change: readonly Write[] = [insertInto("certificates", "c1"), insertInto("outbox", "e1")];

/** Creates a client that records its commands; its `bulkWrite` fails with the given error, if any. */
function clientWhose(bulkWriteError?: Error) {
  const log: string[] = [];
  const collection = (name: string) => ({
    bulkWrite: async (all: readonly unknown[]) => void log.push(`${name}: ${all.length}`),
  });
  const bulkWrite = async (writes: readonly unknown[]) => {
    log.push(`all: ${writes.length}`);
    if (bulkWriteError !== undefined) throw bulkWriteError;
  };
  const client = { bulkWrite, db: () => ({ collection }) } as unknown as MongoClient;
  return { client, log };
}

/** Returns the error that the writer throws when `bulkWrite` fails with this error. */
async function errorFor(error: Error): Promise<unknown> {
  const write = documentWriter(clientWhose(error).client, true);
  return write(change, session).then(
    () => undefined,
    (thrown) => thrown,
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

describe("documentWriter", () => {
  test("writes to several collections in one command", async () => {
    const { client, log } = clientWhose();
    await documentWriter(client, true)(change, session);
    expect(log).toEqual(["all: 2"]);
  });

  test("writes many documents in one command per collection", async () => {
    const { client, log } = clientWhose();
    const many = ["certificates", "outbox"].flatMap((name) =>
      Array.from({ length: 500 }, (_, index) => insertInto(name, String(index))),
    );
    await documentWriter(client, true)(many, session);
    expect(log).toEqual(["certificates: 500", "outbox: 500"]);
  });

  test.each([
    ["does not know the command", 59],
    ["does not know a field of the command", 40_415],
    ["has feature compatibility version 7.0", 115],
  ])("switches permanently to one command per collection when the server %s", async (_what, code) => {
    const { client, log } = clientWhose(failedCommand(code));
    const write = documentWriter(client, true);
    await expect(write(change, session)).rejects.toEqual(new RetryTransaction(0));
    await write(change, session);
    await write(change, session);
    const byCollection = ["certificates: 1", "outbox: 1"];
    expect(log).toEqual(["all: 2", ...byCollection, ...byCollection]);
  });
});

describe("documentWriter throws the same errors as the driver's single-document methods", () => {
  test("for a duplicate key", async () => {
    const thrown = await errorFor(failedWrite(11_000));
    expect(isDuplicateKey(thrown)).toBe(true);
    expect(thrown).toHaveProperty("message", "code 11000");
  });

  test.each([
    ["reported for the whole command", failedCommand(112, MongoErrorLabel.TransientTransactionError)],
    ["reported for one write", failedWrite(112)],
  ])("for a conflict %s", async (_what, error) => {
    const thrown = await errorFor(error);
    expect(thrown).toMatchObject({ code: 112 });
    expect(thrown).toSatisfy(
      (it) => it instanceof MongoServerError && it.hasErrorLabel(MongoErrorLabel.TransientTransactionError),
    );
  });

  test("for a network error", async () => {
    const error = new MongoNetworkError("connection closed");
    expect(await errorFor(error)).toBe(error);
  });
});
