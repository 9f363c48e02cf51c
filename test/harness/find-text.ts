import type { NatsConnection } from "nats";
import { streamName } from "#shared/nats/event-stream.ts";
import type { TestDatabase } from "./test-database.ts";

/**
 * Searches the raw BSON of every document in a database for a string, ignoring case.
 *
 * @returns the collection's name for each document that contains the string
 */
export async function findInDatabase({ db }: Pick<TestDatabase, "db">, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await db.listCollections().toArray()) {
    const raw = await db.collection(name).find({}, { raw: true }).toArray();
    for (const bytes of raw) if (containsText(bytes as unknown as Uint8Array, text)) found.push(name);
  }
  return found;
}

/**
 * Searches the messages of a stream for a string, ignoring case.
 *
 * @returns the sequence number of each message that contains the string
 */
export async function findInStream(connection: NatsConnection, text: string, stream = streamName): Promise<number[]> {
  const { streams } = await connection.jetstreamManager();
  const { state } = await streams.info(stream);
  const found: number[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await streams.getMessage(stream, { seq }).catch(() => undefined);
    if (message !== undefined && containsText(message.data, text)) found.push(seq);
  }
  return found;
}

function containsText(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(bytes).toString().toLowerCase().includes(text.toLowerCase());
}
