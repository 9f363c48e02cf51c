import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { IpAddress } from "#shared/address-guard/ip-address.ts";
import { isIn, type Network } from "#shared/address-guard/network.ts";
import { networksOf, parsePeer, parseUnmapped } from "#shared/limits/client-networks.ts";

/** The address of a request's client; see {@link unknownClient}. */
export interface ClientAddress {
  /** In canonical notation (RFC 5952); an IPv4-mapped address as IPv4. */
  readonly text: string;
  /** See {@link networksOf}. */
  readonly networks: readonly [string, ...string[]];
}

/**
 * The client of a connection that was reset before the edge could ask for its address. All such clients share the
 * limits of one network: without one, a client that resets its connections would have no limits.
 */
const unknownClient: ClientAddress = { text: "unknown", networks: ["unknown"] };

/**
 * Determines the client's address: the peer of the connection or, if the peer is a trusted proxy, the rightmost address
 * in `X-Forwarded-For` that is not a trusted proxy (the leftmost address if all are). If the search meets an entry that
 * is not an address, the proxy that appended this entry counts as the client. Entries further to the left are ignored,
 * because they could be forged.
 *
 * @param peer the remote address of the socket; undefined if the connection was reset, also before it was accepted
 * @param forwardedFor the values of all `X-Forwarded-For` headers, in order
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: readonly string[],
  proxies: readonly Network[],
): ClientAddress {
  let client = parsePeer(peer);
  if (client === undefined) return unknownClient;
  const hops = forwardedFor.join(",").split(",");
  while (isIn(proxies, client)) {
    const previous = parseHop(hops.pop() ?? "");
    if (previous === undefined) break;
    client = previous;
  }
  const text = client instanceof ipaddr.IPv6 ? client.toRFC5952String() : client.toString();
  return { text, networks: networksOf(client) };
}

// Some proxies append the port: 192.0.2.1:4711, [2001:db8::1]:4711.
function parseHop(text: string): IpAddress | undefined {
  const hop = text.trim();
  if (isIP(hop) !== 0) return parseUnmapped(hop);
  const [, v6, v4] = /^(?:\[([^\]]+)\]|([0-9.]+))(?::\d{1,5})?$/.exec(hop) ?? [];
  return parseUnmapped(v6 ?? v4 ?? "");
}
