import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { World, WorldProcess } from "./world.ts";

const wayMaxMs = 1;

/** Handles requests, as a Koa app does. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A request of a client. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The client's address. */
  readonly from: string;
  /** How long the client waits before it disconnects, in milliseconds. */
  readonly waitsMs: number;
}

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a request to an HTTP server in a process, without the parser of Node and its limits.
 *
 * @returns `undefined` if no complete response has arrived when the client disconnects or the process is killed
 */
export async function sendHttp(
  world: World,
  { process, serve }: { readonly process: WorldProcess; readonly serve: Serve },
  request: HttpRequest,
): Promise<HttpResponse | undefined> {
  const { promise, resolve } = Promise.withResolvers<HttpResponse | undefined>();
  const socket = new ServerSocket(request.from);
  const end = () => resolve(undefined);
  const leave = () => {
    end();
    world.schedule(world.below(wayMaxMs), () => socket.destroy(), process);
  };
  const handle = () => {
    if (socket.destroyed) return;
    const message = new IncomingMessage(socket);
    const headers = Object.entries({ host: "registry.example.test", ...request.headers }).flat();
    // As the parser of Node does.
    Reflect.apply(Reflect.get(message, "_addHeaderLines"), message, [headers, headers.length]);
    Object.assign(message, { method: request.method, url: request.path, httpVersion: "1.1", complete: true });
    if (request.body !== undefined) message.push(request.body);
    message.push(null);
    const response = new ServerResponse(message);
    // Node would set a timer for the time of the next second.
    response.sendDate = false;
    response.assignSocket(socket);
    response.once("finish", () => {
      const sent = parse(response, socket);
      world.schedule(world.below(wayMaxMs), () => resolve(sent));
      response.emit("close");
    });
    serve(message, response);
  };
  const cancelLeave = world.schedule(request.waitsMs, leave);
  process.onKill.add(end);
  if (process.isDead) end();
  else world.schedule(world.below(wayMaxMs), handle, process);
  try {
    return await promise;
  } finally {
    cancelLeave();
    process.onKill.delete(end);
  }
}

/** The server's end of a client's connection, which has no handle of Node. */
class ServerSocket extends Socket {
  readonly written: Buffer[] = [];

  constructor(remoteAddress: string) {
    super();
    Object.defineProperty(this, "remoteAddress", { value: remoteAddress });
  }

  override _read(): void {
    // The request is complete.
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    this.written.push(typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk);
    done();
  }

  override _writev(chunks: { readonly chunk: Buffer | string; readonly encoding: BufferEncoding }[], done: () => void) {
    for (const { chunk, encoding } of chunks) this._write(chunk, encoding, () => undefined);
    done();
  }
}

function parse(response: ServerResponse, { written }: ServerSocket): HttpResponse {
  const [, body = ""] = Buffer.concat(written)
    .toString()
    .split(/\r\n\r\n(.*)/s);
  const headers = Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [name, [value ?? []].flat().join(", ")]),
  );
  return { status: response.statusCode, headers, body };
}
