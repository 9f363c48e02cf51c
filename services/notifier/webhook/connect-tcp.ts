import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { socketOpened } from "./socket-opened.ts";
import type { PhaseTimeout } from "./with-timeout.ts";

/** Time limit in milliseconds for each address except the last, which may use all of the remaining time. */
export const addressTimeoutMs = 1_000;

/**
 * Opens a TCP connection to the first address that accepts it, trying the addresses one after another (a simplified
 * form of Happy Eyeballs, RFC 8305).
 *
 * @throws the socket's error, the signal's reason, or the timeout's failure
 */
export async function connectTcp(addresses: readonly string[], port: number, timeout: PhaseTimeout): Promise<Socket> {
  timeout.signal.throwIfAborted();
  const [host = "", ...others] = addresses;
  const socket = others.length === 0 ? connect({ host, port, noDelay: true }) : connectToAny(addresses, port);
  await socketOpened(socket, "connect", timeout.signal, timeout);
  return socket;
}

function connectToAny(addresses: readonly string[], port: number): Socket {
  return connect({
    // Not a real name: every connection must use the vetted addresses that `lookup` returns.
    host: "receiver",
    lookup: lookupOf(addresses),
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    noDelay: true,
  });
}

function lookupOf(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, _options, callback) => process.nextTick(() => callback(null, answers));
}
