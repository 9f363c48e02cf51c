import ipaddr from "ipaddr.js";
import { type IpAddress, parseIpAddress } from "../address-guard/ip-address.ts";

/** Parses the remote address of a socket; an IPv4-mapped address as IPv4. Returns undefined for a closed socket. */
export function parsePeer(peer: string | undefined): IpAddress | undefined {
  // Removes the zone (`%eth0`) of a link-local address: a zone has meaning only on this machine.
  return peer === undefined ? undefined : parseUnmapped(peer.replace(/%.*$/, ""));
}

/** Parses an address as {@link parseIpAddress} does, and an IPv4-mapped one as IPv4. */
export function parseUnmapped(text: string): IpAddress | undefined {
  const address = parseIpAddress(text);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * Returns an address's keys for per-client limits, narrowest first: the IPv4 address, or the IPv6 networks /64, /56 and
 * /48, which are the sizes that providers assign to one customer (RFC 6177).
 */
export function networksOf(address: IpAddress): readonly [string, ...string[]] {
  if (address instanceof ipaddr.IPv4) return [address.toString()];
  const [first = 0, second = 0, third = 0, fourth = 0] = address.parts;
  const network = (subnet: number, bits: number) =>
    `${new ipaddr.IPv6([first, second, third, subnet, 0, 0, 0, 0]).toRFC5952String()}/${bits}`;
  return [network(fourth, 64), network(fourth & 0xff00, 56), network(0, 48)];
}
