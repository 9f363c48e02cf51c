import { type HttpRequest, readRequest } from "./http-request.ts";
import { logEntry } from "./request-log-writer.ts";

/** A request in the receiver's log. */
export interface LoggedRequest extends HttpRequest {
  /** Number of the connection, from 1. */
  readonly connection: number;
  /** Arrival time of the last byte received so far; ISO 8601. */
  readonly at: string;
  /** How the receiver reacted, such as `204` or `hang`; undefined until the log contains the reaction. */
  readonly reply: string | undefined;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Parses the receiver's log, incrementally. */
export class RequestLog {
  #complete: LoggedRequest[] = [];
  readonly #partial = new Map<number, { readonly at: string; readonly bytes: Buffer }>();
  readonly #unanswered = new Map<number, Mutable<LoggedRequest>>();

  /** Complete requests, in the order in which their last bytes arrived. */
  get complete(): readonly LoggedRequest[] {
    return this.#complete;
  }

  /** Returns the complete requests, and removes them from this log. */
  takeComplete(): LoggedRequest[] {
    const taken = this.#complete;
    this.#complete = [];
    return taken;
  }

  /** The received parts of incomplete requests. */
  get incomplete(): LoggedRequest[] {
    return Array.from(this.#partial, ([connection, { at, bytes }]) => this.#logged(readRequest(bytes), connection, at));
  }

  /** Parses a line that was appended to the log. @throws Error when the receiver cannot have written it */
  add(line: string): void {
    const entry = logEntry.parse(JSON.parse(line));
    const { connection, at } = entry;
    if ("reply" in entry) {
      const request = this.#unanswered.get(connection);
      if (request === undefined) throw new Error(`the log contains a reply without a request: ${line}`);
      request.reply = entry.reply;
      this.#unanswered.delete(connection);
    } else {
      const earlier = this.#partial.get(connection)?.bytes ?? Buffer.alloc(0);
      let bytes = Buffer.concat([earlier, Buffer.from(entry.bytes, "base64")]);
      for (let request = readRequest(bytes); request.isComplete; request = readRequest(bytes)) {
        const logged = this.#logged(request, connection, at);
        this.#unanswered.set(connection, logged);
        this.#complete.push(logged);
        bytes = bytes.subarray(request.bytes);
      }
      if (bytes.length > 0) this.#partial.set(connection, { at, bytes });
      else this.#partial.delete(connection);
    }
  }

  #logged(request: HttpRequest, connection: number, at: string): Mutable<LoggedRequest> {
    return { ...request, connection, at, reply: undefined };
  }
}
