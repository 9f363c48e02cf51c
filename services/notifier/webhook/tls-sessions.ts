import type { TLSSocket } from "node:tls";
import { LRUCache } from "lru-cache";
import type { Clock } from "#shared/time/clock.ts";
import { sessionWithoutCertificate } from "./session-without-certificate.ts";

/** The default lifetime of a session in milliseconds. */
export const sessionLifetimeMs = 300_000;

const refusalMs = 86_400_000;
// A session takes up to 10 KiB, most of which is the receiver's ticket.
const receiversMax = 1_000;
const refusalsMax = 10_000;

/**
 * A receiver's session. One connection tries it first: if the receiver cannot handle resumed connections, this costs
 * one message instead of all messages that are sent at the same time.
 */
interface KnownSession {
  readonly session: Buffer;
  state: "untried" | "being tried" | "proven";
}

/**
 * Remembers the TLS 1.3 sessions of receivers. Resuming a session (RFC 8446 §2.2) saves a tenth of the sender's CPU
 * time, because no certificate is sent or verified, and saves the receiver a signature. A session is remembered under
 * the host name and the port for which the certificate was verified. Its lifetime begins with that verification, so
 * resumed connections do not prolong it.
 */
export class TlsSessions {
  readonly #lifetimeMs: number;
  readonly #clock: Pick<Clock, "now">;
  readonly #known: LRUCache<string, KnownSession>;
  readonly #refused: LRUCache<string, true>;

  /**
   * @param lifetimeMs how long a session is offered; 0 disables resumption
   * @param clock a monotonic clock
   */
  constructor(lifetimeMs: number, clock: Pick<Clock, "now">) {
    this.#lifetimeMs = lifetimeMs;
    this.#clock = clock;
    this.#known = new LRUCache({ max: receiversMax, perf: clock, ttlResolution: 0 });
    this.#refused = new LRUCache({ max: refusalsMax, ttl: refusalMs, perf: clock, ttlResolution: 0 });
  }

  /**
   * Returns the session to offer to a receiver, if any. The outcome of the connection must be reported: with
   * {@link confirm}, {@link refuse} or {@link forget}.
   *
   * @param receiver host name and port
   */
  take(receiver: string): Buffer | undefined {
    const known = this.#known.get(receiver);
    if (known === undefined || known.state === "being tried") return undefined;
    if (known.state === "untried") known.state = "being tried";
    return known.session;
  }

  /**
   * Remembers the first session of a connection whose handshake verifies the receiver's certificate, unless a session
   * of the receiver is already known or was refused. In TLS 1.2 the secrecy of all connections of a session depends on
   * the same keys, so such sessions are not remembered.
   *
   * @param socket a connection that offers no session and whose handshake has not begun, because some receivers send
   * tickets with the end of the handshake; or a connection whose receiver has not resumed the offered session. Resumed
   * connections are not observed, because Node would convert each of their tickets: in a flood, that costs as much
   * CPU time as TLS itself. Nor are connections to receivers that were refused.
   */
  rememberFrom(socket: TLSSocket, receiver: string): void {
    if (this.#lifetimeMs === 0 || this.#refused.has(receiver)) return;
    let start = this.#clock.now();
    socket.once("secureConnect", () => {
      start = this.#clock.now();
    });
    socket.once("session", (session) => {
      const isVerified = socket.authorized && !socket.isSessionReused();
      if (!isVerified || socket.getProtocol() !== "TLSv1.3") return;
      if (this.#refused.has(receiver) || this.#known.has(receiver)) return;
      const known: KnownSession = { session: sessionWithoutCertificate(session), state: "untried" };
      this.#known.set(receiver, known, { ttl: this.#lifetimeMs, start });
    });
  }

  /** Offers the session to all connections, because a message sent on a resumed connection was accepted. */
  confirm(receiver: string): void {
    const known = this.#known.get(receiver);
    if (known !== undefined) known.state = "proven";
  }

  /** Forgets the session, for example because the receiver did not resume it. */
  forget(receiver: string): void {
    this.#known.delete(receiver);
  }

  /**
   * Offers no session to this receiver for a day, because a connection that resumed one has failed, or because the
   * receiver floods.
   */
  refuse(receiver: string): void {
    this.forget(receiver);
    this.#refused.set(receiver, true);
  }
}
