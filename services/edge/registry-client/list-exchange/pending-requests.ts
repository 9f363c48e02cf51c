import type { HandleListResponse } from "#gen/registry/v1/edge_service_pb.js";
import { after } from "#shared/time/after.ts";

/** The limits of one request. */
export interface RequestLimits {
  /** Time until the request fails, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** Callbacks for a request that times out or is cancelled before its reply. They must reject the request. */
interface PendingEvents {
  /** The time is up. `sentAt` is the value of `performance.now()` when the request was added. */
  readonly onTimeout: (id: number, sentAt: number) => void;
  /** The client has disconnected. */
  readonly onLeave: (id: number) => void;
}

interface PendingRequest {
  readonly resolve: (response: HandleListResponse) => void;
  readonly reject: (error: Error) => void;
  /** Stops the timer and stops observing the client. */
  readonly release: () => void;
}

const maxId = 0xffff_ffff;

/** The requests of a stream that have no reply yet, by id. A request ends once; later replies to it are ignored. */
export class PendingRequests {
  readonly #events: PendingEvents;
  readonly #byId = new Map<number, PendingRequest>();
  #lastId = 0;

  constructor(events: PendingEvents) {
    this.#events = events;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Adds a request, which must be sent with the returned id. */
  add({ timeoutMs, signal }: RequestLimits): { readonly id: number; readonly response: Promise<HandleListResponse> } {
    const id = this.#nextId();
    const sentAt = performance.now();
    const limit = after(timeoutMs, () => this.#events.onTimeout(id, sentAt));
    const onAbort = () => this.#events.onLeave(id);
    signal.addEventListener("abort", onAbort, { once: true });
    const release = () => {
      limit[Symbol.dispose]();
      signal.removeEventListener("abort", onAbort);
    };
    const { promise: response, resolve, reject } = Promise.withResolvers<HandleListResponse>();
    this.#byId.set(id, { resolve, reject, release });
    return { id, response };
  }

  resolve(id: number, response: HandleListResponse): void {
    this.#take(id)?.resolve(response);
  }

  reject(id: number, error: Error): void {
    this.#take(id)?.reject(error);
  }

  rejectAll(error: Error): void {
    for (const id of [...this.#byId.keys()]) this.reject(id, error);
  }

  #take(id: number): PendingRequest | undefined {
    const request = this.#byId.get(id);
    if (request === undefined) return undefined;
    this.#byId.delete(id);
    request.release();
    return request;
  }

  // No stream lives long enough for the counter to return to an id that is still in use.
  #nextId(): number {
    this.#lastId = (this.#lastId % maxId) + 1;
    return this.#lastId;
  }
}
