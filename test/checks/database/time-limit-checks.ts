import { MongoServerError } from "mongodb";
import { isTransient } from "../../../services/registry/mongo/driver/transient-error.ts";
import { increment, resetCounter, theCounter } from "./counters.ts";
import { type DatabaseCheck, failed, passed } from "./database-check.ts";

const maxTimeMSExpired = 50;

/** Checks of the time limits with which the registry bounds each of its operations. */
export const timeLimitChecks: readonly DatabaseCheck[] = [
  {
    name: "a change that waits for a locked document ends after maxTimeMS, with an error that allows a retry",
    remedy: "Use a server that ends operations after maxTimeMS, as MongoDB does.",
    run: async ({ client }) => {
      const counters = await resetCounter(client);
      await using session = client.startSession();
      session.startTransaction({ readConcern: { level: "snapshot" } });
      await counters.updateOne(theCounter, increment, { session });
      const ended: unknown = await counters
        .updateOne(theCounter, increment, { maxTimeMS: 200 })
        .catch((error: unknown) => error);
      await session.abortTransaction();
      const count = (await counters.findOne(theCounter))?.count;
      const hasEnded = ended instanceof MongoServerError && ended.code === maxTimeMSExpired && isTransient(ended);
      const seen = `${ended instanceof Error ? ended.message : JSON.stringify(ended)}, then ${count} changes`;
      return hasEnded && count === 0 ? passed(seen) : failed(seen);
    },
  },
];
