import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** An IPv4 or IPv6 address. */
export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Reads an address in its usual spelling. Octal, hexadecimal and short IPv4 spellings are no addresses here: whoever
 * reads them otherwise than the one who connects opens a hole. The URL parser has turned them into the usual spelling.
 *
 * @returns undefined for anything else, IPv6 zones among it
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (isIP(text) === 4) return ipaddr.IPv4.parse(text);
  if (isIP(text) !== 6 || text.includes("%")) return undefined;
  // ipaddr.js takes ::192.0.2.1 for ::ffff:192.0.2.1; the URL parser writes it without dots.
  return ipaddr.IPv6.parse(new URL(`https://[${text}]/`).hostname.slice(1, -1));
}
