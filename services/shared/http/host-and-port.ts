import { isIPv6 } from "node:net";

/** Returns `host:port`, with an IPv6 address in brackets (RFC 3986 §3.2.2). */
export function hostAndPort(host: string, port: number | string): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
