import { isIP, type Socket } from "node:net";
import type { SecureContext, TLSSocket } from "node:tls";
import type { AddressGuard } from "#shared/address-guard/address-guard.ts";
import { portProblem } from "#shared/address-guard/port.ts";
import type { OnStep } from "../delivery-step.ts";
import type { AttemptTrace } from "./attempt-trace.ts";
import { connectTcp } from "./connect-tcp.ts";
import { connectTls } from "./connect-tls.ts";
import { blocked, connectionFailed, tlsFailed, toDeliveryFailure } from "./delivery-failure.ts";
import { connectThroughProxy, type EgressProxy, type Tunnel } from "./egress-proxy.ts";
import type { AddressResolver } from "./resolve-addresses.ts";
import { socketOpened } from "./socket-opened.ts";
import { withTimeout } from "./with-timeout.ts";

/** How connections are made. */
export interface ConnectOptions {
  /** Shared by all connections: parsing the authorities anew for each would cost more than the handshake. */
  readonly secureContext: SecureContext;
  /** Judges the host, each address that it has, and the one to which the socket is connected. */
  readonly guard: AddressGuard;
  /** Asked once for each connection, never for IP literals. */
  readonly resolveAddresses: AddressResolver;
  /** Default none. */
  readonly proxy?: EgressProxy | undefined;
  readonly lookUpTimeoutMs: number;
  /** For TCP, and for the proxy's answer. */
  readonly connectTimeoutMs: number;
  readonly tlsTimeoutMs: number;
  readonly onStep?: OnStep | undefined;
}

// A name with more than these would make of one message a scan of many hosts.
const addressesMax = 8;

/**
 * Opens a new TLS connection to an `https://` URL's host. A connection is never used twice: a stale pooled one would
 * reset a POST that may not be sent again.
 *
 * @param trace is told the steps and the receiver's address
 * @returns a socket that is ready to write; its errors never become uncaught
 * @throws DeliveryFailure
 */
export async function openConnection(
  url: URL,
  options: ConnectOptions,
  trace: AttemptTrace,
  cut: AbortSignal,
): Promise<TLSSocket> {
  try {
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
    trace.begin("resolve");
    const addresses = await allowedAddresses(url, host, options, cut);
    trace.begin("connect");
    const tunnel = await connectAllowed(addresses.slice(0, addressesMax), url.port, options, cut);
    trace.remoteAddress = tunnel.address;
    options.onStep?.("connecting");
    trace.begin("tls");
    const socket = await startTls(tunnel.socket, host, options, cut);
    trace.end();
    return socket;
  } catch (error) {
    const failure = toDeliveryFailure(error, trace.step);
    trace.end();
    throw failure;
  }
}

/** A name with one address that is not allowed is refused whole: it would be a matter of luck where the message goes. */
async function allowedAddresses(
  url: URL,
  host: string,
  { guard, resolveAddresses, lookUpTimeoutMs }: ConnectOptions,
  cut: AbortSignal,
): Promise<readonly string[]> {
  const named = portProblem(url.href) ?? guard.hostProblem(url.hostname);
  if (named !== undefined) throw blocked(`The webhook URL names ${named}.`);
  if (isIP(host) !== 0) return [host];
  const problem = "The receiver's host name could not be looked up";
  const limit = { timeoutMs: lookUpTimeoutMs, problem, cut };
  const addresses = await withTimeout(limit, (ending) => resolveAddresses(host, ending));
  if (addresses.length === 0) throw connectionFailed("The receiver's host name has no address.");
  for (const address of addresses) refuseUnallowed(guard, address);
  return addresses;
}

function refuseUnallowed(guard: AddressGuard, address: string): void {
  const problem = guard.addressProblem(address);
  if (problem !== undefined) throw blocked(`The webhook URL leads to ${problem}.`);
}

async function connectAllowed(
  addresses: readonly string[],
  urlPort: string,
  { guard, proxy, connectTimeoutMs }: ConnectOptions,
  cut: AbortSignal,
): Promise<Tunnel> {
  const port = urlPort === "" ? 443 : Number(urlPort);
  const limit = { timeoutMs: connectTimeoutMs, problem: "The connection could not be made", cut };
  if (proxy !== undefined) {
    return withTimeout(limit, (ending) => connectThroughProxy(proxy, addresses, port, ending));
  }
  const socket = await withTimeout(limit, (ending) => connectTcp(addresses, port, ending));
  try {
    // What the kernel says, whatever was asked of it. Not a byte has been sent.
    const address = socket.remoteAddress;
    // Where the other side has reset the connection already, there is nothing to judge: nothing may be sent.
    if (address === undefined) throw Object.assign(new Error("no other side"), { code: "ECONNRESET" });
    refuseUnallowed(guard, address);
    return { socket, address };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function startTls(
  tcp: Socket,
  host: string,
  { secureContext, tlsTimeoutMs }: ConnectOptions,
  cut: AbortSignal,
): Promise<TLSSocket> {
  const socket = connectTls({
    socket: tcp,
    host,
    // RFC 6066: no server name for an address.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    secureContext,
    ALPNProtocols: ["http/1.1"],
  });
  const problem = "The TLS connection could not be made";
  const limit = { timeoutMs: tlsTimeoutMs, problem, failed: tlsFailed, cut };
  await withTimeout(limit, (ending) => socketOpened(socket, "secureConnect", ending));
  return socket;
}
