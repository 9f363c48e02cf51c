/**
 * Simulates a registry that is killed during a transaction: locks the counter document (see counters.ts) in a
 * transaction, prints the session's id and waits to be killed. The environment variable DATABASE_URI contains a
 * connection string that names the scratch database.
 */
import { MongoClient } from "mongodb";
import { countersOf, increment, theCounter } from "./counters.ts";

const client = new MongoClient(process.env.DATABASE_URI ?? "");
const session = client.startSession();
session.startTransaction();
await countersOf(client).updateOne(theCounter, increment, { session });
process.stdout.write(`${session.id?.id.toString("hex")}\n`);
