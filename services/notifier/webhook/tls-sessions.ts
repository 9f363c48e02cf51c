import type { TLSSocket } from "node:tls";
import { LRUCache } from "lru-cache";
import type { Clock } from "#shared/time/clock.ts";

/** The default lifetime of a session in milliseconds. */
export const sessionLifetimeMs = 300_000;

const refusalMs = 3_600_000;
// A session takes 1 to 10 KiB.
const receiversMax = 1_000;

/** The session to offer to a receiver; undefined while no session may be offered or remembered. */
interface Known {
  readonly session: Buffer | undefined;
}

/**
 * Remembers the TLS 1.3 sessions of receivers. A connection that resumes a session (RFC 8446 §2.2) needs no certificate
 * and no verification, which saves a tenth of the sender's CPU time, and the receiver's signature. A session is
 * remembered under the host name and the port for which the certificate was verified. Its lifetime begins with that
 * verification, so resumed connections do not prolong it.
 */
export class TlsSessions {
  readonly #lifetimeMs: number;
  readonly #known: LRUCache<string, Known>;

  /**
   * @param lifetimeMs for how long a session is offered; 0: never
   * @param clock a monotonic clock
   */
  constructor(lifetimeMs: number, clock: Pick<Clock, "now">) {
    this.#lifetimeMs = lifetimeMs;
    this.#known = new LRUCache({ max: receiversMax, perf: clock, ttlResolution: 0 });
  }

  /** Returns the session to offer to a receiver, if any. @param receiver host name and port */
  sessionOf(receiver: string): Buffer | undefined {
    return this.#known.get(receiver)?.session;
  }

  /**
   * Remembers the session of a new connection if its handshake verified the receiver's certificate. In TLS 1.2 the
   * secrecy of all connections of a session depends on the same keys, so such sessions are not remembered.
   */
  remember(receiver: string, socket: TLSSocket): void {
    if (this.#lifetimeMs === 0 || socket.isSessionReused() || socket.getProtocol() !== "TLSv1.3") return;
    const known = this.#known.get(receiver);
    const isRefused = known !== undefined && known.session === undefined;
    if (isRefused) return;
    // The receiver sends its tickets after the handshake; the first one is enough.
    socket.once("session", (session) => this.#known.set(receiver, { session }, { ttl: this.#lifetimeMs }));
  }

  /** Offers no session to this receiver for an hour, because it failed to resume one. */
  refuse(receiver: string): void {
    this.#known.set(receiver, { session: undefined }, { ttl: refusalMs });
  }
}
