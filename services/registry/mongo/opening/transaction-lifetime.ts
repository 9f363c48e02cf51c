import type { MongoClient } from "mongodb";
import type { Logger } from "#shared/observe/logger.ts";

/** The longest `transactionLifetimeLimitSeconds` that the service accepts without a warning. */
export const lifetimeMaxSeconds = 15;
/** The parameter of the server. */
export const lifetimeParameter = "transactionLifetimeLimitSeconds";
// MongoDB's default.
const assumedSeconds = 60;

/** Reads how long the server keeps a transaction. @returns seconds; undefined if the server does not report them */
export async function readLifetime(client: MongoClient): Promise<number | undefined> {
  const reply = await client.db("admin").command({ getParameter: 1, [lifetimeParameter]: 1 });
  // The driver returns some BSON numbers, such as a Decimal128, as objects.
  const seconds = Number(reply[lifetimeParameter]);
  return seconds > 0 ? seconds : undefined;
}

/**
 * Reads how long the server keeps a transaction whose client has vanished. Warns if the server does not report the
 * time, or if the time exceeds 15 s: a killed replica can leave the stores that it was changing locked for that long.
 *
 * @returns seconds; MongoDB's default of 60 if the server does not report the time
 */
export async function readTransactionLifetime(client: MongoClient, logger: Logger): Promise<number> {
  let seconds: number | undefined;
  let reason = "the server does not know the parameter";
  try {
    seconds = await readLifetime(client);
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  if (seconds === undefined) {
    logger.warn(
      { reason },
      `cannot read the database's ${lifetimeParameter}; make sure that it is ${lifetimeMaxSeconds} or less`,
    );
    return assumedSeconds;
  }
  if (seconds > lifetimeMaxSeconds)
    logger.warn(
      { seconds },
      `the database's ${lifetimeParameter} is too high: a killed registry can leave stores locked for that long; set it to ${lifetimeMaxSeconds}`,
    );
  return seconds;
}
