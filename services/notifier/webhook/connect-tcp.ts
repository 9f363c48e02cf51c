import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { socketOpened } from "./socket-opened.ts";

/** How long one of several addresses is tried before the next one; the last gets what is left, in milliseconds. */
export const addressTimeoutMs = 1_000;

/**
 * Opens a TCP connection to the first of the addresses that takes one, and to nothing else.
 *
 * @throws the socket's error, or the signal's reason
 */
export async function connectTcp(
  addresses: readonly string[],
  port: number,
  ending: AbortSignal,
): Promise<Socket> {
  const socket = connect({
    // No name and no address, so that nothing passes by the answers.
    host: "receiver",
    lookup: answering(addresses),
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    noDelay: true,
  });
  await socketOpened(socket, "connect", ending);
  return socket;
}

function answering(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, _options, callback) => process.nextTick(() => callback(null, answers));
}
