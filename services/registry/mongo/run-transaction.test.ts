import { type ClientSession, type MongoClient, MongoError, MongoErrorLabel } from "mongodb";
import { describe, expect, test } from "vitest";
import type { Clock } from "#shared/time/clock.ts";
import { RetryTransaction, runTransaction, type TransactionResult } from "./run-transaction.ts";

/** A client that records the calls on its sessions; commits fail with these errors, in order. */
function recordingClient(commitErrors: readonly Error[] = []) {
  const log: string[] = [];
  const failures = [...commitErrors];
  const session = {
    startTransaction: () => log.push("start"),
    commitTransaction: async () => {
      log.push("commit");
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    },
    abortTransaction: async () => void log.push("abort"),
    endSession: async () => void log.push("end"),
  };
  const client = { startSession: () => session } as unknown as MongoClient;
  return { client, log };
}

/** A clock that advances by each sleep. */
function steppingClock() {
  const pauses: number[] = [];
  let nowMs = 0;
  const clock: Clock = {
    now: () => nowMs,
    sleep: async (durationMs) => {
      pauses.push(durationMs);
      nowMs += durationMs;
    },
  };
  return { clock, pauses };
}

function labelled(label: string, message = label): MongoError {
  const error = new MongoError(message);
  error.addErrorLabel(label);
  return error;
}
const conflict = () => labelled(MongoErrorLabel.TransientTransactionError, "write conflict");

/** A body that fails with these errors, in order, and then succeeds. */
function bodyThatFails(...errors: readonly Error[]) {
  const failures = [...errors];
  return async (_session: ClientSession): Promise<TransactionResult<string>> => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return { commit: true, value: "done" };
  };
}

describe("runTransaction", () => {
  test("commits and ends the session", async () => {
    const { client, log } = recordingClient();
    expect(await runTransaction(client, steppingClock().clock, bodyThatFails())).toBe("done");
    expect(log).toEqual(["start", "commit", "end"]);
  });

  test("rolls back when the body requests it, and returns its value", async () => {
    const { client, log } = recordingClient();
    const body = async () => ({ commit: false, value: 42 });
    expect(await runTransaction(client, steppingClock().clock, body)).toBe(42);
    expect(log).toEqual(["start", "abort", "end"]);
  });

  test("retries after a conflict in a new session, with pauses of at most 50 ms", async () => {
    const { client, log } = recordingClient();
    const { clock, pauses } = steppingClock();
    const conflicts = Array.from({ length: 20 }, conflict);
    expect(await runTransaction(client, clock, bodyThatFails(...conflicts))).toBe("done");
    expect(log.filter((line) => line === "end")).toHaveLength(21);
    expect(log.slice(-3)).toEqual(["start", "commit", "end"]);
    expect(pauses).toHaveLength(20);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(50);
  });

  test("retries when the commit conflicts", async () => {
    const { client, log } = recordingClient([conflict()]);
    expect(await runTransaction(client, steppingClock().clock, bodyThatFails())).toBe("done");
    expect(log).toEqual(["start", "commit", "end", "start", "commit", "end"]);
  });

  test("retries after exactly the pause of a RetryTransaction", async () => {
    const { client } = recordingClient();
    const { clock, pauses } = steppingClock();
    const body = bodyThatFails(new RetryTransaction(123), new RetryTransaction(0));
    expect(await runTransaction(client, clock, body)).toBe("done");
    expect(pauses).toEqual([123, 0]);
  });

  test("gives up after ten seconds with the last error", async () => {
    const { client, log } = recordingClient();
    const { clock, pauses } = steppingClock();
    const body = async () => {
      throw new RetryTransaction(1_000);
    };
    await expect(runTransaction(client, clock, body)).rejects.toBeInstanceOf(RetryTransaction);
    expect(pauses).toHaveLength(10);
    expect(log.filter((line) => line === "start")).toHaveLength(11);
    expect(log).not.toContain("commit");
  });

  test("does not retry after other errors", async () => {
    const { client, log } = recordingClient();
    const body = bodyThatFails(new Error("a bug"));
    await expect(runTransaction(client, steppingClock().clock, body)).rejects.toThrow("a bug");
    expect(log).toEqual(["start", "end"]);
  });
});

describe("a commit with an unknown result", () => {
  const lost = () => labelled(MongoErrorLabel.UnknownTransactionCommitResult, "connection closed");

  test("is repeated without running the body again", async () => {
    const { client, log } = recordingClient([lost(), lost()]);
    expect(await runTransaction(client, steppingClock().clock, bodyThatFails())).toBe("done");
    expect(log).toEqual(["start", "commit", "commit", "commit", "end"]);
  });

  test("throws when the time is up", async () => {
    const { client, log } = recordingClient(Array.from({ length: 10_000 }, lost));
    await expect(runTransaction(client, steppingClock().clock, bodyThatFails())).rejects.toThrow("connection closed");
    expect(log.filter((line) => line === "start")).toHaveLength(1);
    expect(log.at(-1)).toBe("end");
  });
});
