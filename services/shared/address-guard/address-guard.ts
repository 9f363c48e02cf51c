import { type Reason, reason } from "../reasons/reason.ts";
import { hostNameProblem, internalNameProblem, matchesHostPattern, withoutFinalDot } from "./host-name.ts";
import { type IpAddress, parseIpAddress } from "./ip-address.ts";
import { ipv4Embedding, nat64Target } from "./ipv4-embedding.ts";
import { isIn, type Network } from "./network.ts";
import { nonPublicKind } from "./non-public-kind.ts";

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
 * Guards webhook egress against SSRF: decides which hosts and addresses webhooks may reach. It gives the same
 * reasons when a URL is saved and when a message is sent.
 */
export interface AddressGuard {
  /**
   * Checks the host of a URL without a DNS lookup.
   *
   * @param hostname `URL.hostname`: lower case, IPv4 in dotted decimal, IPv6 in brackets
   * @returns why the host is refused; undefined for an allowed host
   */
  hostProblem(hostname: string): Reason | undefined;
  /** Checks a resolved address, or the remote address of a connected socket, like {@link hostProblem}. */
  addressProblem(address: string): Reason | undefined;
}

type AddressProblem = { readonly isBlocked: true } | { readonly isBlocked: false; readonly kind: string };

/** Creates a guard. Its decisions depend only on the options and the input, never on DNS or the time. */
export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const problemOf = (address: IpAddress): AddressProblem | undefined => {
    if (isIn(options.refusedNetworks, address)) return { isBlocked: true };
    const kind = nonPublicKind(address);
    if (kind === undefined) return undefined;
    if (isIn(options.allowedNetworks, address)) {
      const target = nat64Target(address);
      if (target !== undefined) return problemOf(target);
      if (ipv4Embedding(address) === undefined) return undefined;
    }
    return { isBlocked: false, kind };
  };
  return {
    addressProblem: (text) => {
      const address = parseIpAddress(text);
      if (address === undefined) return reason("url_resolves_to_invalid_address");
      const problem = problemOf(address);
      if (problem?.isBlocked) return reason("url_resolves_to_blocked_address");
      return problem && reason("url_resolves_to_non_public_address", { kind: problem.kind });
    },
    hostProblem: (hostname) => {
      const name = withoutFinalDot(hostname);
      const address = parseIpAddress(name.replace(/^\[(.*)\]$/, "$1"));
      const refused = address && problemOf(address);
      if (refused?.isBlocked) return reason("url_address_blocked");
      if (address !== undefined) return refused && reason("url_address_not_public", { kind: refused.kind });
      const problem = hostNameProblem(name);
      if (problem !== undefined) return problem;
      return matchesHostPattern(options.allowedHosts, name) ? undefined : internalNameProblem(name);
    },
  };
}
