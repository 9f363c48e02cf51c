import { appendFileSync } from "node:fs";
import { z } from "zod";
import { type HttpRequest, readRequest } from "./http-request.ts";

const entrySchema = z.union([
  z.strictObject({ connection: z.int(), at: z.iso.datetime(), bytes: z.base64() }),
  z.strictObject({ connection: z.int(), at: z.iso.datetime(), reply: z.string() }),
]);

type Entry = z.output<typeof entrySchema>;

/** A request as it came. */
export interface RecordedRequest extends HttpRequest {
  /** The number of the connection that it came on. */
  readonly connection: number;
  /** When its last byte came; ISO 8601. */
  readonly at: string;
  /** What the receiver did then; undefined where the request is not complete. */
  readonly reply: string | undefined;
}

/** What the receiver writes down: every byte in the order in which it came, before anything is answered. */
export class ReceiverRecord {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  addBytes(connection: number, bytes: Buffer): void {
    this.#add({ connection, at: new Date().toISOString(), bytes: bytes.toString("base64") });
  }

  addReply(connection: number, reply: string): void {
    this.#add({ connection, at: new Date().toISOString(), reply });
  }

  #add(entry: Entry): void {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }
}

/**
 * The requests of a record, in the order in which their last bytes came; what is left of incomplete ones comes last.
 *
 * @throws Error for a record that no receiver wrote
 */
export function readRecord(text: string): RecordedRequest[] {
  const requests: RecordedRequest[] = [];
  const unread = new Map<number, { readonly at: string; readonly bytes: Buffer }>();
  const answered = new Map<number, number>();
  for (const line of text.split("\n").filter((entry) => entry !== "")) {
    const entry = entrySchema.parse(JSON.parse(line));
    const { connection, at } = entry;
    if ("reply" in entry) {
      const index = answered.get(connection);
      const request = index === undefined ? undefined : requests[index];
      if (index === undefined || request === undefined) throw new Error(`a reply to nothing: ${line}`);
      requests[index] = { ...request, reply: entry.reply };
      continue;
    }
    let bytes = Buffer.concat([
      unread.get(connection)?.bytes ?? Buffer.alloc(0),
      Buffer.from(entry.bytes, "base64"),
    ]);
    for (let request = readRequest(bytes); request.isComplete; request = readRequest(bytes)) {
      answered.set(connection, requests.length);
      requests.push({ ...request, connection, at, reply: undefined });
      bytes = bytes.subarray(request.bytes);
    }
    unread.set(connection, { at, bytes });
  }
  for (const [connection, { at, bytes }] of unread)
    if (bytes.length > 0) requests.push({ ...readRequest(bytes), connection, at, reply: undefined });
  return requests;
}
