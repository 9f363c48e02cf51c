import { MongoNetworkError, MongoServerError } from "mongodb";
import { expect, test } from "vitest";
import { findSnapshotReader } from "./read-snapshot.ts";

const sleeps: number[] = [];
const clock = {
  now: () => 0,
  sleep: async (ms: number) => {
    sleeps.push(ms);
  },
};
const serverError = (code: number) => new MongoServerError({ message: "failed", code });

test.each([
  ["again after a lost connection, without a pause", [new MongoNetworkError("closed")], 2, []],
  ["again after an election, without a pause", [serverError(10_107)], 2, []],
  [
    "only once more if the connection is lost a second time",
    [new MongoNetworkError("closed"), new MongoNetworkError("closed")],
    2,
    "closed",
  ],
  ["again after lost snapshots, with growing pauses", [serverError(239), serverError(246)], 3, [20, 40]],
  ["at most five times while snapshots are lost", Array.from({ length: 5 }, () => serverError(246)), 5, "failed"],
  ["only once if its time limit expires", [serverError(50)], 1, "failed"],
])("a read runs %s", async (_name, errors, attempts, outcome) => {
  sleeps.length = 0;
  let count = 0;
  const read = findSnapshotReader(clock)(async () => {
    const error = errors[count++];
    if (error !== undefined) throw error;
    return "page";
  });
  if (typeof outcome === "string") await expect(read).rejects.toThrow(outcome);
  else expect([await read, sleeps]).toEqual(["page", outcome]);
  expect(count).toBe(attempts);
});
