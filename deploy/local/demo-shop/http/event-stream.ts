import type { ServerResponse } from "node:http";

const streamsMax = 50;
const pauseMs = 40;
const keepAliveMs = 20_000;

/** Sends the latest state to all open pages as server-sent events. */
export class EventStream {
  readonly #responses = new Set<ServerResponse>();
  readonly #latest: () => unknown;
  readonly #keepAlive: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;

  /** @param latest returns the state; called each time the state is sent */
  constructor(latest: () => unknown) {
    this.#latest = latest;
    this.#keepAlive = setInterval(() => this.#write(":\n\n"), keepAliveMs);
  }

  /** Starts a stream with the current state. Responds with 503 if 50 streams are already open. */
  open(response: ServerResponse): void {
    if (this.#responses.size >= streamsMax) {
      response.writeHead(503, { "retry-after": "5" }).end();
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write(this.#event());
    this.#responses.add(response);
    response.once("close", () => this.#responses.delete(response));
  }

  /** Sends the state after 40 ms, so that one event covers all changes until then. */
  announce(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#responses.size > 0) this.#write(this.#event());
    }, pauseMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#keepAlive);
    for (const response of this.#responses) response.end();
  }

  #event(): string {
    return `data: ${JSON.stringify(this.#latest())}\n\n`;
  }

  #write(text: string): void {
    for (const response of this.#responses) response.write(text);
  }
}
