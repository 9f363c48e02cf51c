import { connect, isIPv6, type Socket } from "node:net";
import { addressTimeoutMs } from "./connect-tcp.ts";
import { connectionFailed } from "./delivery-failure.ts";
import { socketOpened } from "./socket-opened.ts";
import { withTimeout } from "./with-timeout.ts";

/** An HTTP proxy through which all deliveries go. */
export interface EgressProxy {
  readonly host: string;
  readonly port: number;
}

/** Reads `http://host:port`. @returns undefined for anything else, credentials among it */
export function parseEgressProxy(text: string): EgressProxy | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || `${url.protocol}//${url.host}/` !== url.href || url.protocol !== "http:")
    return undefined;
  return { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port: url.port === "" ? 80 : Number(url.port) };
}

/** A tunnel through the proxy, and the address at its end. */
export interface Tunnel {
  readonly socket: Socket;
  readonly address: string;
}

/**
 * Opens a tunnel to the first of the addresses to which the proxy opens one. The proxy is told addresses, never a name:
 * it must not look up what the guard has not judged.
 *
 * @throws DeliveryFailure, or the signal's reason
 */
export async function connectThroughProxy(
  proxy: EgressProxy,
  addresses: readonly string[],
  port: number,
  ending: AbortSignal,
): Promise<Tunnel> {
  const [address = "", ...others] = addresses;
  if (others.length === 0) return openTunnel(proxy, address, port, ending);
  const limit = { timeoutMs: addressTimeoutMs, problem: "The egress proxy did not answer", cut: ending };
  try {
    return await withTimeout(limit, (soon) => openTunnel(proxy, address, port, soon));
  } catch {
    ending.throwIfAborted();
    return connectThroughProxy(proxy, others, port, ending);
  }
}

/** Asks for a tunnel with CONNECT (RFC 9110, section 9.3.6). */
async function openTunnel(
  proxy: EgressProxy,
  address: string,
  port: number,
  ending: AbortSignal,
): Promise<Tunnel> {
  const socket = connect({ ...proxy, noDelay: true });
  try {
    await socketOpened(socket, "connect", ending);
  } catch (error) {
    ending.throwIfAborted();
    throw connectionFailed("The egress proxy could not be reached.", error);
  }
  const authority = isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const onEnding = () => socket.destroy(ending.reason);
  ending.addEventListener("abort", onEnding, { once: true });
  try {
    const status = await replyStatus(socket);
    if (!status.startsWith("2"))
      throw connectionFailed(`The egress proxy did not open a tunnel to the receiver (status ${status}).`);
    return { socket, address };
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    ending.removeEventListener("abort", onEnding);
  }
}

const replyBytesMax = 8 * 1_024;
// Nothing may come after it: the receiver does not speak before the TLS handshake.
const completeReply = /^HTTP\/1\.[01] (\d{3})[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n$/;

async function replyStatus(socket: Socket): Promise<string> {
  let reply = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    reply += chunk.toString("latin1");
    const status = completeReply.exec(reply)?.[1];
    if (status !== undefined) return status;
    if (reply.length > replyBytesMax || reply.includes("\r\n\r\n"))
      throw connectionFailed("The egress proxy's reply is not HTTP/1.1.");
  }
  throw connectionFailed("The egress proxy closed the connection.");
}
