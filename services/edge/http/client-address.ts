import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { type IpAddress, parseIpAddress } from "#shared/address-guard/ip-address.ts";
import { isIn, type Network } from "#shared/address-guard/network.ts";

/** The address of a request's client. */
export interface ClientAddress {
  /** In canonical notation (RFC 5952); an IPv4-mapped address as IPv4. */
  readonly text: string;
  /**
   * Keys for per-client limits, narrowest first: the IPv4 address, or the IPv6 networks /64, /56 and /48, which are the
   * sizes that providers assign to one customer (RFC 6177).
   */
  readonly networks: readonly [string, ...string[]];
}

/**
 * Determines the client's address: the peer of the connection or, if the peer is a trusted proxy, the rightmost address
 * in `X-Forwarded-For` that is not a trusted proxy (the leftmost address if all are). If the search meets an entry that
 * is not an address, the proxy that appended this entry counts as the client. Entries further to the left are ignored,
 * because they could be forged.
 *
 * @param peer the remote address of the socket; undefined once the socket is closed
 * @param forwardedFor the values of all `X-Forwarded-For` headers, in order
 * @returns undefined when the connection is closed
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: readonly string[],
  proxies: readonly Network[],
): ClientAddress | undefined {
  let client = parsePeer(peer);
  if (client === undefined) return undefined;
  const hops = forwardedFor.join(",").split(",");
  while (isIn(proxies, client)) {
    const previous = parseHop(hops.pop() ?? "");
    if (previous === undefined) break;
    client = previous;
  }
  const text = client instanceof ipaddr.IPv6 ? client.toRFC5952String() : client.toString();
  return { text, networks: networksOf(client) };
}

/** Parses the remote address of a socket; returns undefined once the socket is closed. */
export function parsePeer(peer: string | undefined): IpAddress | undefined {
  // Removes the zone (`%eth0`) of a link-local address: a zone has meaning only on this machine.
  return peer === undefined ? undefined : unmapped(parseIpAddress(peer.replace(/%.*$/, "")));
}

/** Returns an address's keys for per-client limits; see {@link ClientAddress.networks}. */
export function networksOf(address: IpAddress): readonly [string, ...string[]] {
  if (address instanceof ipaddr.IPv4) return [address.toString()];
  const [first = 0, second = 0, third = 0, fourth = 0] = address.parts;
  const network = (subnet: number, bits: number) =>
    `${new ipaddr.IPv6([first, second, third, subnet, 0, 0, 0, 0]).toRFC5952String()}/${bits}`;
  return [network(fourth, 64), network(fourth & 0xff00, 56), network(0, 48)];
}

// Some proxies append the port: 192.0.2.1:4711, [2001:db8::1]:4711.
function parseHop(text: string): IpAddress | undefined {
  const hop = text.trim();
  if (isIP(hop) !== 0) return unmapped(parseIpAddress(hop));
  const [, v6, v4] = /^(?:\[([^\]]+)\]|([0-9.]+))(?::\d{1,5})?$/.exec(hop) ?? [];
  return unmapped(parseIpAddress(v6 ?? v4 ?? ""));
}

function unmapped(address: IpAddress | undefined): IpAddress | undefined {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}
