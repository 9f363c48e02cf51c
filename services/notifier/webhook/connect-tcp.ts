import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { socketOpened } from "./socket-opened.ts";

/** Time limit in milliseconds for each address except the last, which may use all of the remaining time. */
export const addressTimeoutMs = 1_000;

/**
 * Opens a TCP connection to the first address that accepts it, trying the addresses one after another (a simplified
 * form of Happy Eyeballs, RFC 8305).
 *
 * @throws the socket's error, or the signal's reason
 */
export async function connectTcp(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({
    // Not a real name: every connection must use the vetted addresses that `lookup` returns.
    host: "receiver",
    lookup: lookupOf(addresses),
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    noDelay: true,
  });
  await socketOpened(socket, "connect", signal);
  return socket;
}

function lookupOf(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, _options, callback) => process.nextTick(() => callback(null, answers));
}
