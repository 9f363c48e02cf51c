import { addAbortListener } from "node:events";
import { connect, type Socket } from "node:net";
import { hostAndPort } from "#shared/http/host-and-port.ts";
import { reason } from "#shared/reasons/reason.ts";
import { addressTimeoutMs } from "./connect-tcp.ts";
import { connectionFailed, DeliveryFailure } from "./delivery-failure.ts";
import { socketOpened } from "./socket-opened.ts";
import { withTimeout } from "./with-timeout.ts";

/** An HTTP proxy for all deliveries. */
export interface EgressProxy {
  readonly host: string;
  readonly port: number;
}

/**
 * Parses `http://host[:port]`, optionally followed by a slash; default port 80.
 *
 * @returns undefined for any other text, including a URL with credentials
 */
export function parseEgressProxy(text: string): EgressProxy | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || `${url.protocol}//${url.host}/` !== url.href || url.protocol !== "http:") return undefined;
  return { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port: url.port === "" ? 80 : Number(url.port) };
}

/** A connection to `address`, direct or through a proxy. */
export interface Tunnel {
  readonly socket: Socket;
  readonly address: string;
}

/**
 * Opens a tunnel to the first of the addresses that the proxy can reach. The proxy receives an address, never a host
 * name, because the address guard could not check the addresses to which the proxy would resolve the name.
 *
 * @throws DeliveryFailure, or the signal's reason
 */
export async function connectThroughProxy(
  proxy: EgressProxy,
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Tunnel> {
  const [address = "", ...others] = addresses;
  if (others.length === 0) return openTunnel(proxy, address, port, signal);
  const failure = (seconds: number) => connectionFailed(reason("proxy_timed_out", { seconds }));
  try {
    return await withTimeout({ timeoutMs: addressTimeoutMs, failure, signal }, (addressSignal) =>
      openTunnel(proxy, address, port, addressSignal),
    );
  } catch {
    signal.throwIfAborted();
    return connectThroughProxy(proxy, others, port, signal);
  }
}

/** Opens a tunnel with CONNECT (RFC 9110 §9.3.6). */
async function openTunnel(proxy: EgressProxy, address: string, port: number, signal: AbortSignal): Promise<Tunnel> {
  const socket = connect({ ...proxy, noDelay: true });
  try {
    await socketOpened(socket, "connect", signal);
  } catch (error) {
    signal.throwIfAborted();
    throw connectionFailed(reason("proxy_unreachable"), error);
  }
  const authority = hostAndPort(address, port);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  using _ = addAbortListener(signal, () => socket.destroy(signal.reason));
  try {
    const status = await readStatus(socket);
    if (!status.startsWith("2")) throw connectionFailed(reason("proxy_not_connected", { status }));
    return { socket, address };
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    throw error instanceof DeliveryFailure ? error : connectionFailed(reason("proxy_closed_connection"), error);
  }
}

const replyBytesMax = 8 * 1_024;
const replyHead = /^HTTP\/1\.[01] (\d{3})[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/;

async function readStatus(socket: Socket): Promise<string> {
  let reply = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    reply += chunk.toString("latin1");
    const [head, status = ""] = replyHead.exec(reply) ?? [];
    // No byte may follow a 2xx response: the receiver sends nothing before the TLS handshake.
    if (head === reply || (head !== undefined && !status.startsWith("2"))) return status;
    if (reply.length > replyBytesMax || reply.includes("\r\n\r\n")) throw connectionFailed(reason("proxy_not_http"));
  }
  throw connectionFailed(reason("proxy_closed_connection"));
}
