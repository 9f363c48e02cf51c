import ipaddr from "ipaddr.js";
import type { IpAddress } from "./ip-address.ts";
import { ipv4Embedding } from "./ipv4-inside.ts";

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
// Azure's own services answer there, inside every virtual machine.
const azurePlatform = "168.63.129.16";

const kinds: ReadonlyMap<string, string> = new Map([
  ["unspecified", "unspecified"],
  ["loopback", "loopback"],
  ["private", "private"],
  ["uniqueLocal", "private"],
  ["linkLocal", "link-local"],
  ["carrierGradeNat", "carrier's network"],
  ["multicast", "multicast"],
  ["broadcast", "broadcast"],
]);
const reserved = "reserved";

/** What is told of a host or an address that is not public, beside what it is. */
export const publicNeeded = "one that is reachable from the internet is needed";

/**
 * Why an address is not a public one: whatever IANA's registries of special-purpose addresses list (RFC 6890), multicast,
 * IPv6 outside 2000::/3, IPv6 with an IPv4 address inside, and a cloud platform's address among public ones.
 *
 * @returns the kind of address, as `loopback`, or undefined for a public one
 */
export function nonPublicKind(address: IpAddress): string | undefined {
  const range: string = address.range();
  if (address instanceof ipaddr.IPv4) {
    if (address.toString() === azurePlatform) return "cloud platform";
    return range === "unicast" ? undefined : (kinds.get(range) ?? reserved);
  }
  const kind = kinds.get(range) ?? ipv4Embedding(address);
  if (kind !== undefined) return kind;
  return range === "unicast" && address.match(globalUnicast) ? undefined : reserved;
}
