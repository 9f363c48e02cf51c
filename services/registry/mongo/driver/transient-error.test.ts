import {
  MongoBulkWriteError,
  MongoClientBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
} from "mongodb";
import { describe, expect, test } from "vitest";
import { isDuplicateKey, isElection, isTransient, isUnauthorized } from "./transient-error.ts";

const serverError = (code: number) => new MongoServerError({ message: "message", code });
const labelled = (label: string) => {
  const error = serverError(5_000_000);
  error.addErrorLabel(label);
  return error;
};
const wrapped = (cause: Error) => Object.assign(new MongoClientBulkWriteError({ message: "message" }), { cause });
// The results of a batch, of which only the write-concern error matters here.
const results = (writeConcernError?: object) =>
  ({ getWriteConcernError: () => writeConcernError }) as unknown as MongoBulkWriteError["result"];

describe("isTransient and isElection", () => {
  test.each<[string, unknown, boolean, boolean]>([
    ["a primary that stepped down", serverError(189), true, true],
    ["a server that shuts down", serverError(91), true, true],
    ["a former primary", serverError(10_107), true, true],
    ["an interruption by an election", serverError(11_602), true, true],
    ["a batch that an election interrupted", new MongoBulkWriteError(serverError(11_602), results()), true, true],
    ["writes across collections that an election interrupted", wrapped(serverError(189)), true, true],
    ["an operation that exceeded maxTimeMS", serverError(50), true, false],
    ["a missing acknowledgement", serverError(64), true, false],
    ["a batch without a primary", new MongoBulkWriteError(selectionError(), results()), true, false],
    ["a closed connection", new MongoNetworkError("message"), true, false],
    ["a write to a closed socket", Object.assign(new Error("message"), { code: "EPIPE" }), true, false],
    ["a failed look-up of an SRV record", Object.assign(new Error("message"), { syscall: "querySrv" }), true, false],
    ["a server that is short of a resource", serverError(365), true, false],
    ["a full admission queue", serverError(433), true, false],
    ["an exceeded rate limit", serverError(449), true, false],
    ["a rejected pooled connection", serverError(450), true, false],
    ["an exceeded rate limit for requests", serverError(462), true, false],
    ["an overload without a known code", labelled("SystemOverloadedError"), true, false],
    ["an error that the server calls retryable", labelled("RetryableError"), true, false],
    ["a batch that an overload stopped", new MongoBulkWriteError(serverError(462), results()), true, false],
    ["a duplicate key", serverError(11_000), false, false],
    ["a missing privilege", serverError(13), false, false],
    ["an unknown error of the driver", new MongoError("message"), false, false],
    ["a plain error with the code of an election", Object.assign(new Error("message"), { code: 189 }), false, false],
  ])("classify %s", (_what, error, transient, election) => {
    expect([isTransient(error), isElection(error)]).toEqual([transient, election]);
  });
});

describe("isDuplicateKey", () => {
  test("accepts only server errors with code 11000", () => {
    expect(isDuplicateKey(serverError(11_000))).toBe(true);
    expect(isDuplicateKey(serverError(112))).toBe(false);
    expect(isDuplicateKey(new Error("E11000"))).toBe(false);
  });

  test("rejects a batch whose other writes have not been acknowledged by a majority", () => {
    const failed = { message: "E11000", code: 11_000 };
    const unacknowledged = new MongoBulkWriteError(failed, results({ code: 64 }));
    expect(isDuplicateKey(new MongoBulkWriteError(failed, results()))).toBe(true);
    expect(isDuplicateKey(unacknowledged)).toBe(false);
    expect(isTransient(unacknowledged)).toBe(true);
  });
});

test("isUnauthorized accepts a missing privilege and a refusal of MongoDB Atlas", () => {
  expect([13, 8_000, 59, 18].map((code) => isUnauthorized(serverError(code)))).toEqual([true, true, false, false]);
  expect(isUnauthorized(Object.assign(new Error("message"), { code: 13 }))).toBe(false);
});

function selectionError(): MongoServerSelectionError {
  // The constructor expects a topology description, which only the driver creates.
  return new MongoServerSelectionError("message", {} as MongoServerSelectionError["reason"] & object);
}
