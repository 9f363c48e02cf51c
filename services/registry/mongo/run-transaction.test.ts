import { type ClientSession, type MongoClient, MongoError, MongoErrorLabel } from "mongodb";
import { describe, expect, test } from "vitest";
import type { Clock } from "#shared/time/clock.ts";
import { RetryTransaction } from "./retry-transaction.ts";
import { runTransaction, type TransactionResult } from "./run-transaction.ts";

/** A client that writes down what is asked of its sessions; commits fail with these errors, one after another. */
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

/** A clock that moves when somebody sleeps. */
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

/** A body that fails with these errors, one after another, and then succeeds. */
function bodyThatFails(...errors: readonly Error[]) {
  const failures = [...errors];
  return async (_session: ClientSession): Promise<TransactionResult<string>> => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return { commit: true, value: "done" };
  };
}

describe("a transaction", () => {
  test("is committed, and its session ended", async () => {
    const { client, log } = recordingClient();
    expect(await runTransaction(client, steppingClock().clock, bodyThatFails())).toBe("done");
    expect(log).toEqual(["start", "commit", "end"]);
  });

  test("is rolled back when its body says so, and still has a result", async () => {
    const { client, log } = recordingClient();
    const body = async () => ({ commit: false, value: 42 });
    expect(await runTransaction(client, steppingClock().clock, body)).toBe(42);
    expect(log).toEqual(["start", "abort", "end"]);
  });

  test("runs again after a conflict, each time in a session of its own, with pauses of 50 ms at the most", async () => {
    const { client, log } = recordingClient();
    const { clock, pauses } = steppingClock();
    const conflicts = Array.from({ length: 20 }, conflict);
    expect(await runTransaction(client, clock, bodyThatFails(...conflicts))).toBe("done");
    expect(log.filter((line) => line === "end")).toHaveLength(21);
    expect(log.slice(-3)).toEqual(["start", "commit", "end"]);
    expect(pauses).toHaveLength(20);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(50);
  });

  test("runs again when it was the commit that met the conflict", async () => {
    const { client, log } = recordingClient([conflict()]);
    expect(await runTransaction(client, steppingClock().clock, bodyThatFails())).toBe("done");
    expect(log).toEqual(["start", "commit", "end", "start", "commit", "end"]);
  });

  test("runs again after the very pause that its body asked for", async () => {
    const { client } = recordingClient();
    const { clock, pauses } = steppingClock();
    const body = bodyThatFails(new RetryTransaction(123), new RetryTransaction(0));
    expect(await runTransaction(client, clock, body)).toBe("done");
    expect(pauses).toEqual([123, 0]);
  });

  test("is given up after ten seconds, with the last error", async () => {
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

  test("is not run again after an error that no repetition mends", async () => {
    const { client, log } = recordingClient();
    const body = bodyThatFails(new Error("a bug"));
    await expect(runTransaction(client, steppingClock().clock, body)).rejects.toThrow("a bug");
    expect(log).toEqual(["start", "end"]);
  });
});

describe("a commit whose answer was lost", () => {
  const lost = () => labelled(MongoErrorLabel.UnknownTransactionCommitResult, "connection closed");

  test("is asked for again; the body does not run twice", async () => {
    const { client, log } = recordingClient([lost(), lost()]);
    expect(await runTransaction(client, steppingClock().clock, bodyThatFails())).toBe("done");
    expect(log).toEqual(["start", "commit", "commit", "commit", "end"]);
  });

  test("is an error when the time is up", async () => {
    const { client, log } = recordingClient(Array.from({ length: 10_000 }, lost));
    await expect(runTransaction(client, steppingClock().clock, bodyThatFails())).rejects.toThrow(
      "connection closed",
    );
    expect(log.filter((line) => line === "start")).toHaveLength(1);
    expect(log.at(-1)).toBe("end");
  });
});
