import { Resolver } from "node:dns/promises";
import { connectionFailed } from "./delivery-failure.ts";

/**
 * Tells all addresses of a host name, not judged yet. The signal ends the look-up.
 *
 * @throws DeliveryFailure, the signal's reason, or an error with the code `ENOTFOUND` or `ENODATA`
 */
export type AddressResolver = (name: string, ending: AbortSignal) => Promise<readonly string[]>;

const queryTimeoutMs = 1_500;
const queriesMax = 2;

/**
 * Makes a resolver that asks name servers for the A and AAAA records of exactly this name: no search domains, no hosts
 * file, nothing remembered. `localhost` and the names below it are the loopback addresses, unasked (RFC 6761, 6.3). It is
 * c-ares, since the system's own look-up has four threads for everything in the process.
 *
 * @param servers addresses, with a port where it is not 53; none: the system's
 */
export function createAddressResolver(servers: readonly string[] = []): AddressResolver {
  return async (name, ending) => {
    if (/(^|\.)localhost$/.test(name)) return ["127.0.0.1", "::1"];
    // A new one each time: it asks from a port of its own, which makes answers hard to forge, and is cancelled alone.
    const resolver = new Resolver({ timeout: queryTimeoutMs, tries: queriesMax });
    if (servers.length > 0) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    ending.addEventListener("abort", cancel, { once: true });
    try {
      const answers = Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      if (ending.aborted) cancel();
      const [ipv4, ipv6] = await answers;
      return addressesIn(ipv4, ipv6, ending);
    } finally {
      ending.removeEventListener("abort", cancel);
    }
  };
}

/** Whether these can be name servers: addresses, with a port or without. */
export function areNameServers(servers: readonly string[]): boolean {
  try {
    new Resolver().setServers(servers);
    return true;
  } catch {
    return false;
  }
}

type Answer = PromiseSettledResult<string[]>;

/** One kind of record is enough: there are name servers that fail when they are asked for AAAA. */
function addressesIn(ipv4: Answer, ipv6: Answer, ending: AbortSignal): string[] {
  const addresses = inTurn(found(ipv4), found(ipv6));
  if (addresses.length > 0) return addresses;
  ending.throwIfAborted();
  const errors = [ipv4, ipv6].flatMap((answer): unknown[] =>
    answer.status === "rejected" ? [answer.reason] : [],
  );
  const failure = errors.find((error) => !["ENOTFOUND", "ENODATA"].includes(codeOf(error)));
  if (failure === undefined) throw errors[0] ?? connectionFailed("The receiver's host name has no address.");
  throw connectionFailed(`The receiver's host name could not be looked up (${codeOf(failure)}).`, failure);
}

const found = (answer: Answer) => (answer.status === "fulfilled" ? answer.value : []);

/** So that either kind is among the first, if only one of them leads anywhere. */
function inTurn(ipv4: readonly string[], ipv6: readonly string[]): string[] {
  const pairs = Array.from({ length: Math.max(ipv4.length, ipv6.length) }, (_, at) => [ipv4[at], ipv6[at]]);
  return pairs.flat().filter((address) => address !== undefined);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
