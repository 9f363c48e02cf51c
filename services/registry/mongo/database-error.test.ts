import {
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerError,
} from "mongodb";
import { describe, expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { databaseError, isDuplicateKey } from "./database-error.ts";
import { RetryTransaction } from "./retry-transaction.ts";

function labelled(label: string): MongoError {
  const error = new MongoError("message");
  error.addErrorLabel(label);
  return error;
}

function named(name: string): Error {
  return Object.assign(new Error("message"), { name });
}

describe("a database error", () => {
  test.each<[string, unknown]>([
    ["the network", new MongoNetworkError("message")],
    ["a time-out of the network", new MongoNetworkTimeoutError("message")],
    ["a pool without a free connection", named("MongoWaitQueueTimeoutError")],
    ["an operation over its time", new MongoServerError({ message: "message", code: 50 })],
    ["conflicts without end", labelled(MongoErrorLabel.TransientTransactionError)],
    ["a commit without an answer", labelled(MongoErrorLabel.UnknownTransactionCommitResult)],
    ["a primary that stepped down", labelled(MongoErrorLabel.RetryableWriteError)],
    ["a transaction that was to run again", new RetryTransaction(5)],
  ])("that may pass is unavailable, with its cause inside: %s", (_what, error) => {
    const told = databaseError(error);
    expect(told).toBeInstanceOf(ServiceError);
    expect(told).toMatchObject({ code: "unavailable", cause: error });
    expect(String(told)).not.toContain("MongoDB");
  });

  test.each<[string, unknown]>([
    ["a refusal of ours", new ServiceError("not_found", "There is no such store.")],
    ["a duplicate key", new MongoServerError({ message: "E11000", code: 11_000 })],
    ["a bug", new TypeError("message")],
    ["no error at all", undefined],
  ])("of another kind stays as it is: %s", (_what, error) => {
    expect(databaseError(error)).toBe(error);
  });
});

test("a duplicate key is known by its code", () => {
  expect(isDuplicateKey(new MongoServerError({ message: "", code: 11_000 }))).toBe(true);
  expect(isDuplicateKey(new MongoServerError({ message: "", code: 112 }))).toBe(false);
  expect(isDuplicateKey(new Error("E11000"))).toBe(false);
});
