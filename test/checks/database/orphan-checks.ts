import { spawn } from "node:child_process";
import { once } from "node:events";
import { UUID } from "mongodb";
import { steadyClock } from "#shared/time/clock.ts";
import { sessionRefusal } from "../../../services/registry/mongo/opening/replica-heartbeat.ts";
import { increment, resetCounter, theCounter } from "./counters.ts";
import { type DatabaseCheck, failed, passed } from "./database-check.ts";
import type { DatabaseRig } from "./rig.ts";

// The server ends expired transactions only periodically, so a lock can outlast the transaction lifetime of 15 s.
const withinSeconds = 30;
const waitMaxSeconds = 90;
const attemptMs = 1_000;
const pauseMs = 250;
const lockedWithinMs = 30_000;

/** Checks that the lock of a killed process ends when another process ends the session, and otherwise within 30 s. */
export const orphanChecks: readonly DatabaseCheck[] = [
  {
    name: "the lock of a killed process ends when another process ends the session that holds it",
    remedy:
      "Use a server that supports killSessions, with which every user may end its own sessions; otherwise the lock lasts for transactionLifetimeLimitSeconds.",
    run: async (rig) => {
      const counters = await resetCounter(rig.client);
      const session = await lockAndDie(rig);
      const refusal = await sessionRefusal(rig.client, [session]);
      if (refusal !== undefined) return failed(refusal);
      await counters.updateOne(theCounter, increment, { maxTimeMS: attemptMs });
      return passed("released immediately");
    },
  },
  {
    name: `the lock of a killed process ends within ${withinSeconds} s`,
    remedy:
      "Set transactionLifetimeLimitSeconds to 15 or less: until the lock ends, changes in the locked store fail with UNAVAILABLE.",
    run: async (rig) => {
      const counters = await resetCounter(rig.client);
      await lockAndDie(rig);
      const startedAt = steadyClock.now();
      const seconds = () => (steadyClock.now() - startedAt) / 1_000;
      while (seconds() < waitMaxSeconds) {
        rig.signal.throwIfAborted();
        const attempt = counters.updateOne(theCounter, increment, { maxTimeMS: attemptMs });
        const isFree = await attempt.then(
          () => true,
          () => false,
        );
        const seen = `${seconds().toFixed(1)} s`;
        if (isFree) return seconds() <= withinSeconds ? passed(seen) : failed(seen);
        await steadyClock.sleep(pauseMs);
      }
      return failed(`more than ${waitMaxSeconds} s`);
    },
  },
];

/** Kills a process that has locked the counter in a transaction. @returns the id of the transaction's session */
async function lockAndDie({ uri, signal }: DatabaseRig): Promise<UUID> {
  const locking = spawn(process.execPath, [`${import.meta.dirname}/lock-counter.ts`], {
    env: { ...process.env, DATABASE_URI: uri },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(locking, "exit");
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(lockedWithinMs)]);
    const [line] = await Promise.race([once(locking.stdout, "data", { signal: limit }), exited]);
    if (locking.exitCode !== null || locking.signalCode !== null)
      throw new Error("the process that locks the counter exited by itself");
    return new UUID(String(line).trim());
  } finally {
    locking.kill("SIGKILL");
    await exited;
  }
}
