import type { MongoClient } from "mongodb";

/** A document that concurrent transactions update. */
interface CounterDocument {
  readonly _id: string;
  readonly count: number;
}

/** Selects the only counter. */
export const theCounter = { _id: "counter" };

export const increment = { $inc: { count: 1 } };

export function countersOf(client: MongoClient) {
  return client.db().collection<CounterDocument>("counters");
}

export async function resetCounter(client: MongoClient) {
  const counters = countersOf(client);
  await counters.updateOne(theCounter, { $set: { count: 0 } }, { upsert: true });
  return counters;
}
