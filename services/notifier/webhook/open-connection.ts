import { isIP, type LookupFunction, type TcpNetConnectOpts } from "node:net";
import { type ConnectionOptions, connect, type SecureContext, type TLSSocket } from "node:tls";
import { connectionFailed, toDeliveryFailure } from "./delivery-failure.ts";
import type { AddressResolver } from "./resolve-addresses.ts";

/** How connections are made. */
export interface ConnectOptions {
  /** Shared by all connections: parsing the authorities anew for each would cost more than the handshake. */
  readonly secureContext: SecureContext;
  readonly resolveAddresses: AddressResolver;
  /** For name look-up, TCP and TLS together. */
  readonly connectTimeoutMs: number;
}

/** A connection that is ready to write. */
export interface Connection {
  readonly socket: TLSSocket;
  /** The address that the socket is connected to. */
  readonly remoteAddress: string;
  readonly phases: ConnectionPhases;
}

/** How long each step took, in whole milliseconds. */
export interface ConnectionPhases {
  /** Name look-up. */
  readonly resolveMs: number;
  /** TCP. */
  readonly connectMs: number;
  readonly tlsMs: number;
}

/**
 * Opens a new TLS connection to an `https://` URL's host. A connection is never used twice: a stale pooled one would
 * reset a POST that may not be sent again.
 *
 * @returns a connection whose errors never become uncaught
 * @throws DeliveryFailure
 */
export function openConnection(url: URL, options: ConnectOptions, cut: AbortSignal): Promise<Connection> {
  const startedAt = performance.now();
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return new Promise((resolve, reject) => {
    let socket: TLSSocket | undefined;
    let settled = false;
    const settle = () => {
      settled = true;
      clearTimeout(timer);
      cut.removeEventListener("abort", onCut);
    };
    const fail = (error: unknown) => {
      if (!settled) {
        settle();
        socket?.destroy();
      }
      reject(toDeliveryFailure(error));
    };
    const onCut = () => fail(cut.reason);
    const onTimeout = () => {
      const seconds = options.connectTimeoutMs / 1_000;
      fail(connectionFailed(`The connection could not be made within ${seconds} seconds.`));
    };
    const timer = setTimeout(onTimeout, options.connectTimeoutMs);
    cut.addEventListener("abort", onCut, { once: true });
    if (cut.aborted) onCut();

    const connectTo = (addresses: Addresses) => {
      if (settled) return;
      if (addresses[0] === undefined) throw connectionFailed("The receiver's host name has no address.");
      const opened = connect(socketOptions(url, hostname, addresses, options.secureContext));
      socket = opened;
      const resolvedAt = performance.now();
      let connectedAt = resolvedAt;
      opened.once("connect", () => {
        connectedAt = performance.now();
      });
      opened.on("error", fail);
      opened.once("close", () => fail(connectionFailed("The receiver closed the connection.")));
      opened.once("secureConnect", () => {
        settle();
        const phases = {
          resolveMs: Math.round(resolvedAt - startedAt),
          connectMs: Math.round(connectedAt - resolvedAt),
          tlsMs: Math.round(performance.now() - connectedAt),
        };
        resolve({ socket: opened, remoteAddress: opened.remoteAddress ?? "", phases });
      });
    };
    options.resolveAddresses(hostname).then(connectTo).catch(fail);
  });
}

type Addresses = Awaited<ReturnType<AddressResolver>>;

function socketOptions(
  url: URL,
  hostname: string,
  addresses: Addresses,
  secureContext: SecureContext,
): ConnectionOptions & Partial<TcpNetConnectOpts> {
  return {
    host: hostname,
    port: url.port === "" ? 443 : Number(url.port),
    // RFC 6066: no server name for an address.
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    lookup: answering(addresses),
    autoSelectFamilyAttemptTimeout: 1_000,
    secureContext,
    // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED cannot say otherwise.
    rejectUnauthorized: true,
    ALPNProtocols: ["http/1.1"],
    noDelay: true,
  };
}

function answering(addresses: Addresses): LookupFunction {
  return (_hostname, options, callback) => {
    const first = addresses[0];
    process.nextTick(() => {
      if (options.all) callback(null, [...addresses]);
      else callback(null, first?.address ?? "", first?.family);
    });
  };
}
