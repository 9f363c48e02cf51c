import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { type IpAddress, parseIpAddress } from "#shared/address-guard/ip-address.ts";
import { isIn, type Network } from "#shared/address-guard/network.ts";

/** Where a request comes from. */
export interface ClientAddress {
  /** In its shortest spelling; an IPv4 address never in an IPv6 form. */
  readonly text: string;
  /** What limits count by: an IPv4 address, or the /64 of an IPv6 one, of which a single client has all. */
  readonly group: string;
}

/** What a connection and a request tell about the client. */
export interface ClientHints {
  /** The other end of the connection, as Node tells it; undefined when it is gone. */
  readonly peer: string | undefined;
  /** The values of all `X-Forwarded-For` headers, in their order. */
  readonly forwardedFor: readonly string[];
}

/**
 * The client's address: the other end of the connection, or, where that is a trusted proxy, what it and the trusted proxies
 * before it say, from the right of `X-Forwarded-For`. What stands left of the first address that is no trusted proxy's
 * could have been written by anybody and is not looked at; neither is what stands left of something that is no address.
 *
 * @returns undefined when the connection is gone
 */
export function clientAddress(
  { peer, forwardedFor }: ClientHints,
  proxies: readonly Network[],
): ClientAddress | undefined {
  let client = parsePeer(peer);
  if (client === undefined) return undefined;
  const hops = forwardedFor.join(",").split(",");
  while (isIn(proxies, client)) {
    const before = parseHop(hops.pop() ?? "");
    if (before === undefined) break;
    client = before;
  }
  return { text: textOf(client), group: groupOf(client) };
}

/** The other end of a connection. @returns undefined when it is gone */
export function parsePeer(peer: string | undefined): IpAddress | undefined {
  // The zone of a link-local address is this machine's business.
  return peer === undefined ? undefined : plain(parseIpAddress(peer.replace(/%.*$/, "")));
}

/** What limits count an address by; see {@link ClientAddress}. */
export function groupOf(address: IpAddress): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toRFC5952String()}/64`;
}

function textOf(address: IpAddress): string {
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

// Some proxies add the port: 192.0.2.1:4711, [2001:db8::1]:4711.
function parseHop(text: string): IpAddress | undefined {
  const hop = text.trim();
  if (isIP(hop) !== 0) return plain(parseIpAddress(hop));
  const [, v6, v4] = /^(?:\[([^\]]+)\]|([0-9.]+))(?::\d{1,5})?$/.exec(hop) ?? [];
  return plain(parseIpAddress(v6 ?? v4 ?? ""));
}

function plain(address: IpAddress | undefined): IpAddress | undefined {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}
