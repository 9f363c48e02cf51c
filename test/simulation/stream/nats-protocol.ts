/** A message of the NATS protocol. */
export interface NatsMessage {
  readonly subject: string;
  readonly reply?: string | undefined;
  /** With the line that ends them; absent if the message has none. */
  readonly headers?: Buffer | undefined;
  readonly data: Buffer;
}

/** What a client sends. */
export type ClientCommand =
  | { readonly kind: "connect"; readonly options: string }
  | { readonly kind: "ping" }
  | { readonly kind: "subscribe"; readonly subject: string; readonly sid: string }
  | { readonly kind: "unsubscribe"; readonly sid: string; readonly messagesMax: number | undefined }
  | { readonly kind: "publish"; readonly message: NatsMessage };

const lineEnd = "\r\n";

/** Reads the commands of a client from the bytes that arrive. @throws Error for a command that it does not know */
export class CommandReader {
  #received = Buffer.alloc(0);

  *push(chunk: Buffer): Generator<ClientCommand> {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (let command = this.#next(); command !== undefined; command = this.#next())
      if (command !== "none") yield command;
  }

  #next(): ClientCommand | "none" | undefined {
    const end = this.#received.indexOf(lineEnd);
    if (end < 0) return undefined;
    const line = this.#received.toString("utf8", 0, end);
    const [verb = "", ...args] = line.split(" ");
    const dataStart = end + lineEnd.length;
    if (verb !== "PUB" && verb !== "HPUB") {
      this.#received = this.#received.subarray(dataStart);
      return commandOf(verb, args, line);
    }
    const size = Number(args.pop());
    const headerSize = verb === "HPUB" ? Number(args.pop()) : 0;
    if (this.#received.length < dataStart + size + lineEnd.length) return undefined;
    const payload = Buffer.from(this.#received.subarray(dataStart, dataStart + size));
    this.#received = this.#received.subarray(dataStart + size + lineEnd.length);
    const [subject = "", reply] = args;
    const headers = headerSize === 0 ? undefined : payload.subarray(0, headerSize);
    return { kind: "publish", message: { subject, reply, headers, data: payload.subarray(headerSize) } };
  }
}

function commandOf(verb: string, args: readonly string[], line: string): ClientCommand | "none" {
  const [first = "", second] = args;
  if (verb === "CONNECT") return { kind: "connect", options: line.slice(verb.length) };
  if (verb === "PING") return { kind: "ping" };
  if (verb === "PONG") return "none";
  if (verb === "SUB") return { kind: "subscribe", subject: first, sid: args.at(-1) ?? "" };
  if (verb === "UNSUB")
    return { kind: "unsubscribe", sid: first, messagesMax: second === undefined ? undefined : Number(second) };
  throw new Error(`the simulated NATS server does not know the command ${verb}`);
}

/** Encodes a message for a subscription. */
export function encodeMessage({ subject, reply, headers, data }: NatsMessage, sid: string): Buffer {
  const names = [subject, sid, ...(reply === undefined ? [] : [reply])].join(" ");
  const line =
    headers === undefined
      ? `MSG ${names} ${data.length}`
      : `HMSG ${names} ${headers.length} ${headers.length + data.length}`;
  return Buffer.concat([Buffer.from(line + lineEnd), headers ?? Buffer.alloc(0), data, Buffer.from(lineEnd)]);
}

/** Encodes the headers of a status, such as 503 without responders. */
export function statusHeaders(status: string, fields: Readonly<Record<string, string | number>> = {}): Buffer {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}${lineEnd}`);
  return Buffer.from(`NATS/1.0 ${status}${lineEnd}${lines.join("")}${lineEnd}`);
}

/** Returns the value of a header; `undefined` if it is absent. */
export function headerOf({ headers }: Pick<NatsMessage, "headers">, name: string): string | undefined {
  const line = headers
    ?.toString()
    .split(lineEnd)
    .find((text) => text.startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

/** Returns whether a subject matches a pattern with `*` for a token and `>` for all further ones. */
export function matches(subject: string, pattern: string): boolean {
  let [at, from] = [0, 0];
  for (;;) {
    const wantedEnd = pattern.indexOf(".", from);
    const wanted = wantedEnd < 0 ? pattern.slice(from) : pattern.slice(from, wantedEnd);
    if (wanted === ">" && wantedEnd < 0) return at <= subject.length;
    const end = subject.indexOf(".", at);
    const token = end < 0 ? subject.slice(at) : subject.slice(at, end);
    if (wanted !== "*" && wanted !== token) return false;
    if (end < 0 || wantedEnd < 0) return end < 0 && wantedEnd < 0;
    [at, from] = [end + 1, wantedEnd + 1];
  }
}
