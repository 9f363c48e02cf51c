import { connect, type Socket } from "node:net";

/** The request line and `Host` header of a list request; append other headers and an empty line. */
export const listHead = "GET /v1/certificates HTTP/1.1\r\nHost: edge\r\n";

/** A complete list request that asks the server to close the connection. */
export const closingRequest = `${listHead}Connection: close\r\n\r\n`;

/** One response, parsed from the received bytes. */
export interface RawReply {
  readonly status: number;
  /** By lowercase name; for a repeated header, only the last value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Exchange {
  readonly text: string;
  readonly replies: readonly RawReply[];
  /** The error that ended the connection, such as ECONNRESET; undefined after an orderly close. */
  readonly error: NodeJS.ErrnoException | undefined;
}

/** Writes bytes to a server, one chunk after another, and reads until the server closes the connection. */
export function exchange(port: number, ...chunks: readonly (string | Buffer)[]): Promise<Exchange> {
  const socket = connect(port, "127.0.0.1");
  socket.once("connect", () => void writeAll(socket, chunks));
  return readAll(socket);
}

/** Sends a request with `Connection: close` and returns its response. */
export async function request(port: number, line: string, headers: readonly string[] = []): Promise<RawReply> {
  const lines = [`${line} HTTP/1.1`, "Host: edge", "Connection: close", ...headers, "", ""];
  const { replies, text } = await exchange(port, lines.join("\r\n"));
  const [reply] = replies;
  if (reply === undefined) throw new Error(`no response: ${text}`);
  return reply;
}

export function readAll(socket: Socket): Promise<Exchange> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    let error: Exchange["error"];
    socket.on("data", (chunk) => received.push(chunk));
    socket.once("error", (reason) => {
      error = reason;
    });
    socket.once("close", () => {
      const text = Buffer.concat(received).toString();
      resolve({ text, replies: parseReplies(Buffer.concat(received)), error });
    });
  });
}

async function writeAll(socket: Socket, chunks: readonly (string | Buffer)[]): Promise<void> {
  for (const chunk of chunks) {
    await new Promise((written) => socket.write(chunk, written));
    await new Promise((pause) => setTimeout(pause, 5));
  }
}

function parseReplies(bytes: Buffer): RawReply[] {
  const replies: RawReply[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd < 0) break;
    const [statusLine = "", ...lines] = rest.subarray(0, headEnd).toString().split("\r\n");
    const headers = Object.fromEntries(lines.map(headerOf));
    const bodyEnd = headEnd + 4 + Number(headers["content-length"] ?? 0);
    replies.push({
      status: Number(statusLine.split(" ")[1]),
      headers,
      body: rest.toString("utf8", headEnd + 4, bodyEnd),
    });
    rest = rest.subarray(bodyEnd);
  }
  return replies;
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
