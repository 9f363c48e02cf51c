import { openSync, writeSync } from "node:fs";
import { z } from "zod";

const common = { connection: z.int(), at: z.iso.datetime() };

/** One line of the log: received bytes, or the receiver's reaction to a request, such as `204` or `reset`. */
export const logEntry = z.union([
  z.strictObject({ ...common, bytes: z.base64() }),
  z.strictObject({ ...common, reply: z.string() }),
]);

/** Writes the receiver's log synchronously: every byte in the order of arrival, before the response is sent. */
export class RequestLogWriter {
  readonly #file: number;

  constructor(file: string) {
    this.#file = openSync(file, "a");
  }

  addBytes(connection: number, bytes: Buffer): void {
    this.#add(connection, { bytes: bytes.toString("base64") });
  }

  addReply(connection: number, reply: string): void {
    this.#add(connection, { reply });
  }

  #add(connection: number, entry: object): void {
    const line = JSON.stringify({ connection, at: new Date().toISOString(), ...entry });
    writeSync(this.#file, `${line}\n`);
  }
}
