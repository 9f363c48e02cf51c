import { Resolver } from "node:dns/promises";
import { addAbortListener } from "node:events";
import { systemErrorCode } from "#shared/errors/system-error-code.ts";
import { connectionFailed } from "./delivery-failure.ts";
import { reasonOfError } from "./failure-reasons.ts";

/**
 * Resolves a host name. The caller must check each address with an AddressGuard. The signal cancels the queries.
 *
 * @throws DeliveryFailure, the signal's reason, or an error with the code `ENOTFOUND` or `ENODATA`
 */
export type AddressResolver = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

const queryTimeoutMs = 1_500;
const queriesMax = 2;

/**
 * Creates a resolver that queries the A and AAAA records of exactly the given name, without search domains, hosts file
 * or cache. `localhost` and names below it resolve to the loopback addresses without a query (RFC 6761 §6.3). Uses
 * c-ares, because the system's resolver would run in the four threads that the whole process shares.
 *
 * @param servers addresses, with a port unless it is 53; if empty, the system's name servers are used
 */
export function createAddressResolver(servers: readonly string[] = []): AddressResolver {
  return async (name, signal) => {
    if (/(^|\.)localhost$/.test(name)) return ["127.0.0.1", "::1"];
    // A new resolver has its own source port, which makes answers hard to forge, and can be cancelled separately.
    const resolver = new Resolver({ timeout: queryTimeoutMs, tries: queriesMax });
    if (servers.length > 0) resolver.setServers(servers);
    using _ = addAbortListener(signal, () => resolver.cancel());
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return addressesIn(ipv4, ipv6, signal);
  };
}

/** Returns whether all strings are valid name server addresses, with or without a port. */
export function areNameServers(servers: readonly string[]): boolean {
  try {
    new Resolver().setServers(servers);
    return true;
  } catch {
    return false;
  }
}

/** Creates the failure for a host name without addresses. */
export function noAddress() {
  return connectionFailed(reasonOfError("host_without_address", ""));
}

type Answer = PromiseSettledResult<string[]>;

/**
 * Combines the A and AAAA answers. One answer with addresses is enough, because some name servers answer AAAA queries
 * with an error.
 */
function addressesIn(ipv4: Answer, ipv6: Answer, signal: AbortSignal): string[] {
  const addresses = interleave(found(ipv4), found(ipv6));
  if (addresses.length > 0) return addresses;
  signal.throwIfAborted();
  const errors = [ipv4, ipv6].flatMap((answer): unknown[] => (answer.status === "rejected" ? [answer.reason] : []));
  const failure = errors.find((error) => !["ENOTFOUND", "ENODATA"].includes(systemErrorCode(error) ?? ""));
  if (failure === undefined) throw errors[0] ?? noAddress();
  throw connectionFailed(reasonOfError("host_not_resolved", systemErrorCode(failure) ?? ""), failure);
}

const found = (answer: Answer) => (answer.status === "fulfilled" ? answer.value : []);

/** Alternates IPv4 and IPv6, so that an early attempt succeeds even if only one family is reachable. */
function interleave(ipv4: readonly string[], ipv6: readonly string[]): string[] {
  const pairs = Array.from({ length: Math.max(ipv4.length, ipv6.length) }, (_, at) => [ipv4[at], ipv6[at]]);
  return pairs.flat().filter((address) => address !== undefined);
}
