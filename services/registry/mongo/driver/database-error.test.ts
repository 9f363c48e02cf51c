import { MongoError, MongoErrorLabel, MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from "mongodb";
import { describe, expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { databaseError } from "./database-error.ts";
import { RetryTransaction } from "./run-transaction.ts";

function labelled(label: string): MongoError {
  const error = new MongoError("message");
  error.addErrorLabel(label);
  return error;
}

describe("databaseError", () => {
  test.each<[string, unknown]>([
    ["a network error", new MongoNetworkError("message")],
    ["a network timeout", new MongoNetworkTimeoutError("message")],
    ["an operation that exceeded maxTimeMS", new MongoServerError({ message: "message", code: 50 })],
    ["an unresolved write conflict", labelled(MongoErrorLabel.TransientTransactionError)],
    ["an unknown commit result", labelled(MongoErrorLabel.UnknownTransactionCommitResult)],
    ["a primary that stepped down", labelled(MongoErrorLabel.RetryableWriteError)],
    ["a transaction whose retries are exhausted", new RetryTransaction(5)],
  ])("converts %s to unavailable and keeps the error as the cause", (_what, error) => {
    const converted = databaseError(error);
    expect(converted).toBeInstanceOf(ServiceError);
    expect(converted).toMatchObject({ code: "unavailable", cause: error });
    expect(String(converted)).not.toContain("MongoDB");
  });

  test.each<[string, unknown]>([
    ["a ServiceError", new ServiceError("not_found", "There is no such store.")],
    ["a duplicate key", new MongoServerError({ message: "E11000", code: 11_000 })],
    ["a bug", new TypeError("message")],
    ["undefined", undefined],
  ])("returns %s unchanged", (_what, error) => {
    expect(databaseError(error)).toBe(error);
  });
});
