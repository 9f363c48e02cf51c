import ipaddr from "ipaddr.js";
import type { IpAddress } from "./ip-address.ts";
import { ipv4Embedding } from "./ipv4-embedding.ts";

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
// Azure's platform endpoint, reachable from every virtual machine.
const azurePlatform = "168.63.129.16";

const kinds: ReadonlyMap<string, string> = new Map([
  ["unspecified", "unspecified"],
  ["loopback", "loopback"],
  ["private", "private"],
  ["uniqueLocal", "private"],
  ["linkLocal", "link_local"],
  ["carrierGradeNat", "carrier_grade_nat"],
  ["multicast", "multicast"],
  ["broadcast", "broadcast"],
]);
const reserved = "reserved";

/**
 * Classifies an address that is not public: the entries of IANA's special-purpose address registries (RFC 6890),
 * multicast, IPv6 outside 2000::/3, IPv6 with an embedded IPv4 address, and one cloud platform address within the
 * public space.
 *
 * @returns the kind of address, such as `loopback`, or undefined for a public address
 */
export function nonPublicKind(address: IpAddress): string | undefined {
  const range: string = address.range();
  if (address instanceof ipaddr.IPv4) {
    if (address.toString() === azurePlatform) return "cloud_platform";
    return range === "unicast" ? undefined : (kinds.get(range) ?? reserved);
  }
  const kind = kinds.get(range) ?? ipv4Embedding(address);
  if (kind !== undefined) return kind;
  return range === "unicast" && address.match(globalUnicast) ? undefined : reserved;
}
