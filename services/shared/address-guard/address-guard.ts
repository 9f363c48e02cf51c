import { hostNameProblem, internalNameProblem, matchesHostPattern, withoutFinalDot } from "./host-name.ts";
import { type IpAddress, parseIpAddress } from "./ip-address.ts";
import { ipv4Embedding, nat64Target } from "./ipv4-embedding.ts";
import { isIn, type Network } from "./network.ts";
import { nonPublicKind, publicHostRemedy } from "./non-public-kind.ts";

/** Exceptions that the operator configures. No option disables the guard. */
interface AddressGuardOptions {
  /**
   * Networks that are allowed although they are not public. An IPv6 address that embeds an IPv4 address remains
   * refused, except in NAT64's 64:ff9b::/96, where the embedded address must be public or allowed too.
   */
  readonly allowedNetworks: readonly Network[];
  /** Internal host names, or suffixes with a leading dot, that are allowed if their addresses are allowed. */
  readonly allowedHosts: readonly string[];
  /**
   * Networks that are refused although they are public, such as the operator's own. They override `allowedNetworks`.
   */
  readonly refusedNetworks: readonly Network[];
}

/**
 * Guards webhook egress against SSRF: decides which hosts and addresses webhooks may reach. Merchants see the problems
 * that it reports, in the same words when a URL is saved and when a message is sent.
 */
export interface AddressGuard {
  /**
   * Checks the host of a URL without a DNS lookup.
   *
   * @param hostname `URL.hostname`: lower case, IPv4 in dotted decimal, IPv6 in brackets
   * @returns a noun phrase for a refused host, followed by a remedy if the host is not public, such as
   * `a non-public address (loopback); use a host that …`; undefined for an allowed host
   */
  hostProblem(hostname: string): string | undefined;
  /**
   * Checks a resolved address, or the remote address of a connected socket. Returns a problem in the same format as
   * {@link hostProblem}.
   */
  addressProblem(address: string): string | undefined;
}

/** Creates a guard. Its decisions depend only on the options and the input, never on DNS or the time. */
export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const problemOf = (address: IpAddress): string | undefined => {
    if (isIn(options.refusedNetworks, address)) return "an address blocked by the operator";
    const kind = nonPublicKind(address);
    if (kind === undefined) return undefined;
    if (isIn(options.allowedNetworks, address)) {
      const target = nat64Target(address);
      if (target !== undefined) return problemOf(target);
      if (ipv4Embedding(address) === undefined) return undefined;
    }
    return `a non-public address (${kind}); ${publicHostRemedy}`;
  };
  return {
    addressProblem: (text) => {
      const address = parseIpAddress(text);
      return address === undefined ? "an invalid address" : problemOf(address);
    },
    hostProblem: (hostname) => {
      const name = withoutFinalDot(hostname);
      const address = parseIpAddress(name.replace(/^\[(.*)\]$/, "$1"));
      if (address !== undefined) return problemOf(address);
      const problem = hostNameProblem(name);
      if (problem !== undefined) return problem;
      return matchesHostPattern(options.allowedHosts, name) ? undefined : internalNameProblem(name);
    },
  };
}
