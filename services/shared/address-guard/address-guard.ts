import { hostNameProblem, internalName, isNamedBy, withoutFinalDot } from "./host-name.ts";
import { type IpAddress, parseIpAddress } from "./ip-address.ts";
import { ipv4Embedding, nat64Target } from "./ipv4-inside.ts";
import { isIn, type Network } from "./network.ts";
import { nonPublicKind, publicNeeded } from "./non-public-kind.ts";

/** What an operator changes about the guard. There is no switch that turns it off. */
export interface AddressGuardOptions {
  /**
   * Networks that are allowed though they are not public. An address with an IPv4 address inside is never allowed so,
   * but for NAT64's 64:ff9b::/96, and there only if the inner address is allowed too.
   */
  readonly allowedNetworks: readonly Network[];
  /** Internal names that are allowed, if their addresses are; a leading dot stands for all names that end so. */
  readonly allowedHosts: readonly string[];
  /** Networks that are refused though they are public, such as the operator's own. They go before the allowed ones. */
  readonly refusedNetworks: readonly Network[];
}

/** Says where webhooks may not go. Its words are for merchants; they are the same when a URL is saved and when it is used. */
export interface AddressGuard {
  /**
   * Judges a URL's host before any look-up.
   *
   * @param hostname as `URL.hostname` tells it: in lower case, IPv4 in its usual spelling, IPv6 in brackets
   * @returns what the URL names, as `an address that is not public (loopback): one that is …`, or undefined
   */
  hostProblem(hostname: string): string | undefined;
  /**
   * Judges an address to which a name leads, or to which a socket is connected.
   *
   * @returns what it is, in the same words, or undefined
   */
  addressProblem(address: string): string | undefined;
}

/** Makes a guard. It asks nobody: the same question always gets the same answer. */
export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const problemOf = (address: IpAddress): string | undefined => {
    if (isIn(options.refusedNetworks, address)) return "an address that the operator refuses";
    const kind = nonPublicKind(address);
    if (kind === undefined) return undefined;
    if (isIn(options.allowedNetworks, address)) {
      const target = nat64Target(address);
      if (target !== undefined) return problemOf(target);
      if (ipv4Embedding(address) === undefined) return undefined;
    }
    return `an address that is not public (${kind}): ${publicNeeded}`;
  };
  return {
    addressProblem: (text) => {
      const address = parseIpAddress(text);
      return address === undefined ? "something that is no address" : problemOf(address);
    },
    hostProblem: (hostname) => {
      const name = withoutFinalDot(hostname);
      const address = parseIpAddress(name.replace(/^\[(.*)\]$/, "$1"));
      if (address !== undefined) return problemOf(address);
      const problem = hostNameProblem(name);
      if (problem !== undefined) return problem;
      return isNamedBy(options.allowedHosts, name) ? undefined : internalName(name);
    },
  };
}
