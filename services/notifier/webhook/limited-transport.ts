import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { DeliveryFailure } from "./delivery-failure.ts";
import { type ReplyLimit, TlsInputLimit } from "./tls-input-limit.ts";

// TLS receives the input in pieces of at most this size, so that this layer learns of the end of the handshake before
// it passes on the next piece.
const pieceBytes = 8 * 1_024;

type Callback = (error?: Error | null) => void;

/**
 * The transport between a TCP socket and `tls.connect`. Input that exceeds {@link TlsInputLimit} does not reach TLS:
 * the transport emits an error and destroys the TCP socket.
 *
 * Implements only the Duplex methods that `tls.connect` calls, and bypasses the buffers of Node's streams: TLS and TCP
 * already buffer, and a third buffer would double the CPU time that this layer costs.
 */
export class LimitedTransport extends Duplex {
  readonly #tcp: Socket;
  readonly #limit = new TlsInputLimit();
  readonly #exceeded: () => DeliveryFailure;
  #writeMode: "pass" | "hold next" | "hold" = "pass";
  #refusal: () => DeliveryFailure | undefined = () => undefined;
  #isCorked = false;
  #chunks: Buffer[] = [];
  #callbacks: Callback[] = [];

  /** @param exceeded creates the error for input that exceeds the limit */
  constructor(tcp: Socket, exceeded: () => DeliveryFailure) {
    super({ allowHalfOpen: false });
    this.#tcp = tcp;
    this.#exceeded = exceeded;
    tcp.on("data", (chunk) => this.#receive(chunk));
    tcp.on("error", (error) => this.emit("error", error));
    tcp.once("end", () => this.emit("end"));
    tcp.once("close", () => this.emit("close"));
  }

  /**
   * Marks the end of the handshake: from now on, the limit for replies applies.
   *
   * @param holdsNextWrite whether to delay the next write by one turn of the event loop, and send it together with the
   * writes that follow in that time
   * @param replyLimit how much input may follow
   * @param refusal called at most once, immediately before the next write to the TCP socket; if it returns an error,
   * nothing is written, and the TCP socket is destroyed
   */
  completeHandshake(holdsNextWrite: boolean, replyLimit: ReplyLimit, refusal: () => DeliveryFailure | undefined): void {
    this.#limit.startReply(replyLimit);
    this.#refusal = refusal;
    if (holdsNextWrite) this.#writeMode = "hold next";
  }

  #receive(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#tcp.destroyed; at += pieceBytes) {
      const piece = chunk.length <= pieceBytes ? chunk : chunk.subarray(at, at + pieceBytes);
      const admitted = this.#limit.admit(piece);
      // A final status before the excess input still counts.
      if (admitted > 0) this.emit("data", admitted === piece.length ? piece : piece.subarray(0, admitted));
      if (admitted === piece.length || this.#tcp.destroyed) continue;
      this.#fail(this.#exceeded());
    }
  }

  #fail(failure: DeliveryFailure): void {
    this.#tcp.destroy();
    this.emit("error", failure);
  }

  // TLS corks around every write, because a write can consist of several chunks.
  override cork(): void {
    this.#isCorked = true;
  }

  override write(chunk: Buffer, encodingOrCallback?: unknown, callback = encodingOrCallback): boolean {
    this.#chunks.push(chunk);
    if (isCallback(callback)) this.#callbacks.push(callback);
    if (!this.#isCorked) this.uncork();
    return true;
  }

  override uncork(): void {
    this.#isCorked = false;
    if (this.#writeMode === "pass") this.#flush();
    if (this.#writeMode !== "hold next") return;
    this.#writeMode = "hold";
    // TLS writes again only after the callbacks; the next write then contains all data encrypted in the meantime.
    for (const callback of this.#callbacks.splice(0)) callback();
    setImmediate(() => {
      this.#writeMode = "pass";
      this.#flush();
    });
  }

  #flush(): void {
    const [chunk, ...others] = this.#chunks;
    if (chunk === undefined) return;
    const callbacks = this.#callbacks;
    this.#chunks = [];
    this.#callbacks = [];
    const refused = this.#tcp.destroyed ? undefined : this.#refusal();
    this.#refusal = () => undefined;
    if (refused !== undefined) {
      this.#fail(refused);
      return;
    }
    this.#tcp.write(others.length === 0 ? chunk : Buffer.concat([chunk, ...others]), (error) => {
      for (const callback of callbacks) callback(error);
    });
  }

  override end(callback?: unknown): this {
    this.#flush();
    this.#tcp.end(isCallback(callback) ? callback : undefined);
    return this;
  }

  override pause(): this {
    this.#tcp.pause();
    return this;
  }

  override resume(): this {
    this.#tcp.resume();
    return this;
  }

  override destroy(): this {
    this.#tcp.destroy();
    return this;
  }
}

function isCallback(value: unknown): value is Callback {
  return typeof value === "function";
}
