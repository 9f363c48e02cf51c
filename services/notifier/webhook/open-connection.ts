import { isIP, type Socket } from "node:net";
import type { SecureContext, TLSSocket } from "node:tls";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { AddressGuard } from "#shared/address-guard/address-guard.ts";
import { portProblem } from "#shared/address-guard/port.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import { publishDeliveryStep } from "../delivery-steps.ts";
import type { AttemptTrace } from "./attempt-trace.ts";
import { connectTcp } from "./connect-tcp.ts";
import { connectTls } from "./connect-tls.ts";
import { connectionFailed, DeliveryFailure, toDeliveryFailure } from "./delivery-failure.ts";
import { connectThroughProxy, type EgressProxy, type Tunnel } from "./egress-proxy.ts";
import { type AddressResolver, noAddress } from "./resolve-addresses.ts";
import { socketOpened } from "./socket-opened.ts";
import type { ReplyLimit } from "./tls-input-limit.ts";
import type { TlsSessions } from "./tls-sessions.ts";
import { withTimeout } from "./with-timeout.ts";

/** The dependencies and time limits of {@link openConnection}. */
export interface ConnectOptions {
  /** Shared by all connections: parsing the authorities costs more than a handshake. */
  readonly secureContext: SecureContext;
  readonly sessions: TlsSessions;
  /** Checks the host, each of its addresses and, without a proxy, the address to which the socket is connected. */
  readonly guard: AddressGuard;
  /** Called at most once for each message; not called if the host is an IP address. */
  readonly resolveAddresses: AddressResolver;
  readonly proxy?: EgressProxy | undefined;
  readonly lookUpTimeoutMs: number;
  /** For the TCP connection, including the proxy's answer to CONNECT. */
  readonly connectTimeoutMs: number;
  readonly tlsTimeoutMs: number;
}

/** The options of one connection. */
interface OpenConnectionOptions extends ConnectOptions {
  /**
   * Returns an error if the message must no longer be sent. Called immediately before the first byte of the message is
   * written. Default: the message may always be sent.
   */
  readonly refusal?: () => DeliveryFailure | undefined;
  /** How much the receiver may send after the handshake. Default: {@link shortReply}. */
  readonly replyLimit?: ReplyLimit;
}

// As RFC 7301 §3.1 encodes a list of protocols; Node would convert an array for each connection.
const http11 = Buffer.from("\x08http/1.1");

const blocked = (why: Reason) => new DeliveryFailure(OutcomeKind.BLOCKED, why);

// Trying more addresses would turn one message into a scan of many hosts.
const addressesMax = 8;

/**
 * Opens a new TLS connection to the host of an `https://` URL. Connections are not reused: a stale pooled connection
 * could be reset after the POST was written, and the POST must not be sent again.
 *
 * @param trace records the phases and the receiver's address
 * @returns a writable socket; its errors never become uncaught exceptions
 * @throws DeliveryFailure
 */
export async function openConnection(
  url: URL,
  options: OpenConnectionOptions,
  trace: AttemptTrace,
  signal: AbortSignal,
): Promise<TLSSocket> {
  try {
    const receiver = receiverOf(url);
    trace.startPhase("resolve");
    const addresses = await resolveAllowed(url, receiver.host, options, signal);
    const target = { ...receiver, addresses: addresses.slice(0, addressesMax) };
    const socket = await connectSecurely(target, options, trace, signal);
    trace.endPhase();
    return socket;
  } catch (error) {
    const failure = toDeliveryFailure(error, trace.phase);
    trace.endPhase();
    throw failure;
  }
}

/** The server that a URL names. */
interface Receiver {
  /** An ASCII name or an IP address. */
  readonly host: string;
  readonly port: number;
  /** `host:port`, the key under which {@link TlsSessions} remembers the receiver's session. */
  readonly name: string;
}

/** Returns the server that an `https://` URL names. */
export function receiverOf({ hostname, port: urlPort }: URL): Receiver {
  const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const port = urlPort === "" ? 443 : Number(urlPort);
  return { host, port, name: `${host}:${port}` };
}

/** A receiver with its resolved addresses. */
interface Target extends Receiver {
  /** The first {@link addressesMax} of the host's addresses; all are allowed. */
  readonly addresses: readonly string[];
}

/**
 * Connects and completes the TLS handshake. If the receiver breaks off a handshake that resumes a session, opens a
 * second connection with a full handshake; no part of the message has been written by then.
 */
async function connectSecurely(
  target: Target,
  options: OpenConnectionOptions,
  trace: AttemptTrace,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const { sessions } = options;
  const connect = async (session?: Buffer) => {
    trace.startPhase("connect");
    const tunnel = await connectAllowed(target, options, signal);
    trace.remoteAddress = tunnel.address;
    publishDeliveryStep("connecting");
    trace.startPhase("tls");
    return startTls(tunnel.socket, target, { ...options, session }, signal);
  };
  const session = sessions.take(target.name);
  if (session === undefined) return connect();
  try {
    const socket = await connect(session);
    if (!socket.isSessionReused()) sessions.forget(target.name);
    return socket;
  } catch (error) {
    sessions.forget(target.name);
    if (trace.phase !== "tls" || signal.aborted) throw error;
    if (error instanceof DeliveryFailure) {
      // After a timeout, too little time may be left for a second connection; a receiver that floods must not get one.
      sessions.refuse(target.name);
      throw error;
    }
    const socket = await connect();
    // The full handshake succeeded, so the resumption was at fault.
    sessions.refuse(target.name);
    return socket;
  }
}

/** Resolves the host. One disallowed address blocks the host, since any of its addresses could receive the message. */
async function resolveAllowed(
  url: URL,
  host: string,
  { guard, resolveAddresses, lookUpTimeoutMs }: ConnectOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const problem = portProblem(url.href) ?? guard.hostProblem(url.hostname);
  if (problem !== undefined) throw blocked(problem);
  if (isIP(host) !== 0) return [host];
  const failure = (seconds: number) => connectionFailed(reason("host_not_resolved_in_time", { seconds }));
  const addresses = await withTimeout({ timeoutMs: lookUpTimeoutMs, failure, signal }, (phaseSignal) =>
    resolveAddresses(host, phaseSignal),
  );
  if (addresses.length === 0) throw noAddress();
  for (const address of addresses) requireAllowed(guard, address);
  return addresses;
}

function requireAllowed(guard: AddressGuard, address: string): void {
  const problem = guard.addressProblem(address);
  if (problem !== undefined) throw blocked(problem);
}

async function connectAllowed(
  { addresses, port }: Target,
  { guard, proxy, connectTimeoutMs }: ConnectOptions,
  signal: AbortSignal,
): Promise<Tunnel> {
  const code = proxy === undefined ? "connection_not_accepted_in_time" : "proxy_timed_out";
  const failure = (seconds: number) => connectionFailed(reason(code, { seconds }));
  const timeout = { timeoutMs: connectTimeoutMs, failure, signal };
  if (proxy !== undefined)
    return withTimeout(timeout, (phaseSignal) => connectThroughProxy(proxy, addresses, port, phaseSignal));
  const socket = await connectTcp(addresses, port, timeout);
  try {
    // The address to which the kernel has actually connected the socket. No byte has been sent yet.
    const address = socket.remoteAddress;
    // After a reset the address is unknown, so it cannot be checked.
    if (address === undefined) throw Object.assign(new Error("not connected"), { code: "ECONNRESET" });
    requireAllowed(guard, address);
    return { socket, address };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function startTls(
  tcp: Socket,
  { host, name }: Receiver,
  {
    secureContext,
    sessions,
    session,
    tlsTimeoutMs,
    refusal,
    replyLimit,
  }: OpenConnectionOptions & { readonly session: Buffer | undefined },
  signal: AbortSignal,
): Promise<TLSSocket> {
  const socket = connectTls({
    socket: tcp,
    host,
    // RFC 6066 §3 forbids an IP address as the server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    secureContext,
    session,
    refusal,
    replyLimit,
    ALPNProtocols: http11,
    onFlood: () => sessions.refuse(name),
  });
  if (session === undefined) sessions.rememberFrom(socket, name);
  const failure = (seconds: number) =>
    new DeliveryFailure(OutcomeKind.TLS_FAILED, reason("tls_handshake_timed_out", { seconds }));
  await socketOpened(socket, "secureConnect", signal, { timeoutMs: tlsTimeoutMs, failure });
  if (session !== undefined && !socket.isSessionReused()) sessions.rememberFrom(socket, name);
  return socket;
}
