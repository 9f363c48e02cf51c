import ipaddr from "ipaddr.js";
import type { IpAddress } from "./ip-address.ts";

const nat64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");
const embeddings = [
  ["IPv4-mapped", ipaddr.IPv6.parseCIDR("::ffff:0:0/96")],
  ["IPv4-compatible", ipaddr.IPv6.parseCIDR("::/96")],
  ["IPv4-translated", ipaddr.IPv6.parseCIDR("::ffff:0:0:0/96")],
  ["NAT64", nat64],
  ["NAT64", ipaddr.IPv6.parseCIDR("64:ff9b:1::/48")],
  ["6to4", ipaddr.IPv6.parseCIDR("2002::/16")],
  ["Teredo", ipaddr.IPv6.parseCIDR("2001::/32")],
] as const;

/**
 * Returns the name of the mechanism by which an IPv6 address embeds an IPv4 address, to which packets may ultimately be
 * routed: IPv4-mapped and -compatible (RFC 4291), -translated (RFC 2765), NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056),
 * Teredo (RFC 4380), ISATAP (RFC 5214).
 *
 * @returns undefined for an address without an embedded IPv4 address
 */
export function ipv4Embedding(address: IpAddress): string | undefined {
  if (!(address instanceof ipaddr.IPv6)) return undefined;
  // ::1 and :: are not IPv4-compatible addresses.
  if (address.range() === "loopback" || address.range() === "unspecified") return undefined;
  const found = embeddings.find(([, network]) => address.match(network));
  if (found !== undefined) return found[0];
  const [high = 0, low] = address.parts.slice(4);
  // The mask ignores the interface identifier's universal/local and individual/group bits.
  return (high & 0xfcff) === 0 && low === 0x5efe ? "ISATAP" : undefined;
}

/** Returns the IPv4 destination behind a NAT64 address (RFC 6052, well-known prefix); undefined for other addresses. */
export function nat64Target(address: IpAddress): ipaddr.IPv4 | undefined {
  if (!(address instanceof ipaddr.IPv6) || !address.match(nat64)) return undefined;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}
