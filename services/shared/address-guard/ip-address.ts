import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** An IPv4 or IPv6 address. */
export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Parses an IP address. Rejects octal, hexadecimal and short IPv4 notations: if the guard and the connecting code read
 * them differently, a request could bypass the guard. The hosts of URLs never have these notations, because the URL
 * parser has normalized them.
 *
 * @returns the address, or undefined for any other text, including an IPv6 address with a zone
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (isIP(text) === 4) return ipaddr.IPv4.parse(text);
  if (isIP(text) !== 6 || text.includes("%")) return undefined;
  // Rewrites the address without dots, because ipaddr.js would parse ::192.0.2.1 as ::ffff:192.0.2.1.
  return ipaddr.IPv6.parse(new URL(`https://[${text}]/`).hostname.slice(1, -1));
}
