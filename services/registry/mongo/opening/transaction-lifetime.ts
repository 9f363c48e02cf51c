import type { MongoClient } from "mongodb";
import type { Logger } from "#shared/observe/logger.ts";

/** The longest `transactionLifetimeLimitSeconds` that the service accepts without a warning. */
export const lifetimeMaxSeconds = 15;
// MongoDB's default.
const assumedSeconds = 60;

/**
 * Reads how long the server keeps a transaction whose client has vanished. Warns if the server does not report the
 * time, or if the time exceeds 15 s: a killed replica can leave the stores that it was changing locked for that long.
 *
 * @returns seconds; MongoDB's default of 60 if the server does not report the time
 */
export async function readTransactionLifetime(client: MongoClient, logger: Logger): Promise<number> {
  const parameter = "transactionLifetimeLimitSeconds";
  let seconds: unknown;
  let reason = "the server does not know the parameter";
  try {
    const reply = await client.db("admin").command({ getParameter: 1, [parameter]: 1 });
    // The driver returns some BSON numbers, such as a Decimal128, as objects.
    seconds = reply[parameter] === undefined ? undefined : Number(reply[parameter]);
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  if (typeof seconds !== "number" || !(seconds > 0)) {
    logger.warn(
      { reason },
      `cannot read the database's ${parameter}; make sure that it is ${lifetimeMaxSeconds} or less`,
    );
    return assumedSeconds;
  }
  if (seconds > lifetimeMaxSeconds)
    logger.warn(
      { seconds },
      `the database's ${parameter} is too high: a killed registry can leave stores locked for that long; set it to ${lifetimeMaxSeconds}`,
    );
  return seconds;
}
