import { MongoError, MongoErrorLabel } from "mongodb";
import { runTransaction } from "../../../services/registry/mongo/driver/run-transaction.ts";
import { countersOf, increment, resetCounter, theCounter } from "./counters.ts";
import { type DatabaseCheck, failed, passed } from "./database-check.ts";

const workers = 4;
const incrementsPerWorker = 10;

/** Checks of snapshots and write conflicts, on which the order of changes relies. */
export const transactionChecks: readonly DatabaseCheck[] = [
  {
    name: "a snapshot shows no later change",
    remedy: "Use a server with snapshot isolation, such as MongoDB with the WiredTiger storage engine.",
    run: async ({ client }) => {
      const counters = await resetCounter(client);
      await using session = client.startSession();
      session.startTransaction({ readConcern: { level: "snapshot" } });
      const before = await counters.findOne(theCounter, { session });
      await counters.updateOne(theCounter, increment);
      const after = await counters.findOne(theCounter, { session });
      await session.commitTransaction();
      const seen = `${before?.count} before and ${after?.count} after another client's change`;
      return before?.count === 0 && after?.count === 0 ? passed(seen) : failed(seen);
    },
  },
  {
    name: "the second of two conflicting transactions fails with an error that allows a retry",
    remedy: "Use a server that labels write conflicts TransientTransactionError, as MongoDB does.",
    run: async ({ client }) => {
      const counters = await resetCounter(client);
      await using first = client.startSession();
      await using second = client.startSession();
      for (const session of [first, second]) session.startTransaction({ readConcern: { level: "snapshot" } });
      await counters.updateOne(theCounter, increment, { session: first });
      const conflict: unknown = await counters
        .updateOne(theCounter, increment, { session: second, maxTimeMS: 10_000 })
        .catch((error: unknown) => error);
      await first.commitTransaction();
      const isTransient =
        conflict instanceof MongoError && conflict.hasErrorLabel(MongoErrorLabel.TransientTransactionError);
      return isTransient ? passed(conflict.message) : failed(JSON.stringify(conflict));
    },
  },
  {
    name: "concurrent transactions on one document lose no update",
    remedy: "Use a server that isolates transactions as MongoDB does.",
    run: async ({ client }) => {
      const counters = await resetCounter(client);
      const worker = async () => {
        for (let turn = 0; turn < incrementsPerWorker; turn++)
          await runTransaction(client, async (session) => {
            const found = await counters.findOne(theCounter, { session });
            await counters.updateOne(theCounter, { $set: { count: (found?.count ?? 0) + 1 } }, { session });
            return { commit: true, value: undefined };
          });
      };
      await Promise.all(Array.from({ length: workers }, worker));
      const count = (await countersOf(client).findOne(theCounter))?.count;
      const seen = `${count} of ${workers * incrementsPerWorker} updates`;
      return count === workers * incrementsPerWorker ? passed(seen) : failed(seen);
    },
  },
];
