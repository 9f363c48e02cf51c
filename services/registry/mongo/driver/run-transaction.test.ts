import { type MongoClient, MongoError, MongoErrorLabel, MongoServerError } from "mongodb";
import { describe, expect, test } from "vitest";
import { PassingClock } from "#shared/time/passing-clock-fixture.ts";
import { type RetryOptions, RetryTransaction, runTransaction, type TransactionResult } from "./run-transaction.ts";

/**
 * Creates a client that records the calls on its sessions, and a simulated clock that `sleep` advances. `run` runs a
 * transaction with both. Commits fail with these errors, in order.
 */
function testRig(commitErrors: readonly Error[] = []) {
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
  const clock = new PassingClock();
  const run = <T>(body: () => Promise<TransactionResult<T>>, options?: RetryOptions) =>
    runTransaction(client, body, { clock, ...options });
  return { run, log, pauses: clock.slept };
}

function labelled(label: string, message = label): MongoError {
  const error = new MongoError(message);
  error.addErrorLabel(label);
  return error;
}
const conflict = () => labelled(MongoErrorLabel.TransientTransactionError, "write conflict");

/** Creates a body that fails with these errors, in order, and then succeeds. */
function bodyThatFails(...errors: readonly Error[]) {
  const failures = [...errors];
  return async (): Promise<TransactionResult<string>> => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return { commit: true, value: "done" };
  };
}

describe("runTransaction", () => {
  test("commits the transaction and ends the session", async () => {
    const { run, log } = testRig();
    expect(await run(bodyThatFails())).toBe("done");
    expect(log).toEqual(["start", "commit", "end"]);
  });

  test("rolls back the transaction at the body's request, and returns the body's value", async () => {
    const { run, log } = testRig();
    const body = async () => ({ commit: false, value: 42 });
    expect(await run(body)).toBe(42);
    expect(log).toEqual(["start", "abort", "end"]);
  });

  test("retries a conflict in a new session, after a pause of at most 50 ms", async () => {
    const { run, log, pauses } = testRig();
    const conflicts = Array.from({ length: 10 }, conflict);
    expect(await run(bodyThatFails(...conflicts))).toBe("done");
    expect(log.filter((line) => line === "end")).toHaveLength(11);
    expect(log.slice(-3)).toEqual(["start", "commit", "end"]);
    expect(pauses).toHaveLength(10);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(50);
  });

  test("retries when the commit conflicts", async () => {
    const { run, log } = testRig([conflict()]);
    expect(await run(bodyThatFails())).toBe("done");
    expect(log).toEqual(["start", "commit", "end", "start", "commit", "end"]);
  });

  test("pauses for exactly as long as a RetryTransaction specifies", async () => {
    const { run, pauses } = testRig();
    const body = bodyThatFails(new RetryTransaction(123), new RetryTransaction(0));
    expect(await run(body)).toBe("done");
    expect(pauses).toEqual([123, 0]);
  });

  test("throws the last error after retrying for ten seconds", async () => {
    const { run, log, pauses } = testRig();
    const body = async () => {
      throw new RetryTransaction(1_000);
    };
    await expect(run(body)).rejects.toBeInstanceOf(RetryTransaction);
    expect(pauses).toHaveLength(10);
    expect(log.filter((line) => line === "start")).toHaveLength(10);
    expect(log).not.toContain("commit");
  });

  test("does not retry after the caller's time limit", async () => {
    const { run, log } = testRig();
    const body = async () => {
      throw new RetryTransaction(1_000);
    };
    await expect(run(body, { timeLimitMs: 2_500 })).rejects.toBeInstanceOf(RetryTransaction);
    expect(log.filter((line) => line === "start")).toHaveLength(3);
  });

  test("lengthens its pauses, up to 300 ms, while conflicts continue", async () => {
    const { run, pauses } = testRig();
    const body = async () => {
      throw conflict();
    };
    await expect(run(body)).rejects.toThrow("write conflict");
    // With pauses of at most 50 ms, at least 200 attempts fit into the ten seconds.
    expect(pauses.length).toBeLessThan(180);
    expect(Math.max(...pauses)).toBeGreaterThan(100);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(300);
  });

  test("runs each pause between two attempts inside the caller's wrapper", async () => {
    const { run, log } = testRig();
    const aroundPause = async (pause: () => Promise<void>) => {
      log.push("before");
      await pause();
      log.push("after");
    };
    expect(await run(bodyThatFails(conflict()), { aroundPause })).toBe("done");
    expect(log).toEqual(["start", "end", "before", "after", "start", "commit", "end"]);
  });

  test("does not retry the transaction, commit it or retry a commit once the caller's time is used up", async () => {
    const unknown = () => labelled(MongoErrorLabel.UnknownTransactionCommitResult);
    const linesWith = async (calls: number, body: () => Promise<TransactionResult<string>>) => {
      const { run, log } = testRig([unknown(), unknown()]);
      let left = calls;
      const remainingMs = () => {
        if (left-- === 0) throw new Error("no time left");
        return 1_000;
      };
      await expect(run(body, { remainingMs })).rejects.toThrow("no time left");
      return log;
    };
    expect(await linesWith(1, bodyThatFails(conflict()))).toEqual(["start", "end"]);
    expect(await linesWith(1, bodyThatFails())).toEqual(["start", "end"]);
    expect(await linesWith(2, bodyThatFails())).toEqual(["start", "commit", "end"]);
  });

  test("runs the body again if its connection was lost, also when the driver throws or wraps Node's own error", async () => {
    const lost = () => Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    const { run, log } = testRig();
    expect(await run(bodyThatFails(lost(), new MongoServerError(lost())))).toBe("done");
    expect(log).toEqual(["start", "end", "start", "end", "start", "commit", "end"]);
  });

  test("does not retry an error that is not transient", async () => {
    const { run, log } = testRig();
    const body = bodyThatFails(new Error("a bug"));
    await expect(run(body)).rejects.toThrow("a bug");
    expect(log).toEqual(["start", "end"]);
  });
});

describe("a commit with an unknown result", () => {
  const lost = () => labelled(MongoErrorLabel.UnknownTransactionCommitResult, "connection closed");

  test("is retried without running the body again", async () => {
    const { run, log } = testRig([lost(), lost()]);
    expect(await run(bodyThatFails())).toBe("done");
    expect(log).toEqual(["start", "commit", "commit", "commit", "end"]);
  });

  test("fails with the last error after ten seconds", async () => {
    const { run, log } = testRig(Array.from({ length: 10_000 }, lost));
    await expect(run(bodyThatFails())).rejects.toThrow("connection closed");
    expect(log.filter((line) => line === "start")).toHaveLength(1);
    expect(log.at(-1)).toBe("end");
  });
});
