import type { TLSSocket } from "node:tls";
import { LRUCache } from "lru-cache";
import type { Clock } from "#shared/time/clock.ts";

/** The default lifetime of a session in milliseconds. */
export const sessionLifetimeMs = 300_000;

const refusalMs = 86_400_000;
// A session takes 1 to 10 KiB.
const receiversMax = 1_000;

/** The session to offer to a receiver; undefined while no session may be offered. */
interface Known {
  readonly session: Buffer | undefined;
}

/**
 * Remembers the TLS 1.3 sessions of receivers. On a connection that resumes a session (RFC 8446 §2.2), the receiver
 * signs nothing and the sender verifies no certificate, which saves the sender a tenth of its CPU time. A session is
 * remembered under the host name and the port for which the certificate was verified. The session's lifetime begins
 * with that verification, so resumed connections do not prolong it.
 */
export class TlsSessions {
  readonly #lifetimeMs: number;
  readonly #clock: Pick<Clock, "now">;
  readonly #known: LRUCache<string, Known>;

  /**
   * @param lifetimeMs for how long a session is offered; 0: never
   * @param clock monotonic
   */
  constructor(lifetimeMs: number, clock: Pick<Clock, "now">) {
    this.#lifetimeMs = lifetimeMs;
    this.#clock = clock;
    this.#known = new LRUCache({ max: receiversMax, perf: clock, ttlResolution: 0 });
  }

  /** Returns the session to offer to a receiver, if any. @param receiver host name and port */
  sessionOf(receiver: string): Buffer | undefined {
    return this.#known.get(receiver)?.session;
  }

  /**
   * Remembers the first session of a connection whose handshake verifies the receiver's certificate. In TLS 1.2 the
   * secrecy of all connections of a session depends on the same keys, so such sessions are not remembered.
   *
   * @param socket a connection whose handshake has not begun: some receivers send tickets with the end of the handshake
   */
  rememberFrom(socket: TLSSocket, receiver: string): void {
    if (this.#lifetimeMs === 0) return;
    let start = this.#clock.now();
    socket.once("secureConnect", () => {
      start = this.#clock.now();
    });
    socket.once("session", (session) => {
      const isVerified = socket.authorized && !socket.isSessionReused();
      if (!isVerified || socket.getProtocol() !== "TLSv1.3" || this.#isRefused(receiver)) return;
      this.#known.set(receiver, { session }, { ttl: this.#lifetimeMs, start });
    });
  }

  /** Forgets the session of a receiver. */
  forget(receiver: string): void {
    if (!this.#isRefused(receiver)) this.#known.delete(receiver);
  }

  /** Offers no session to this receiver for a day, because a connection that resumed one has failed. */
  refuse(receiver: string): void {
    this.#known.set(receiver, { session: undefined }, { ttl: refusalMs });
  }

  #isRefused(receiver: string): boolean {
    const known = this.#known.get(receiver);
    return known !== undefined && known.session === undefined;
  }
}
