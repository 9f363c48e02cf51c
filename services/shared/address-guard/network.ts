import ipaddr from "ipaddr.js";
import { commaSeparated } from "../config/variable-types.ts";
import { type IpAddress, parseIpAddress } from "./ip-address.ts";

/** A network in CIDR notation. */
export interface Network {
  readonly address: IpAddress;
  readonly prefixBits: number;
}

export function isIn(networks: readonly Network[], address: IpAddress): boolean {
  return networks.some((network) => {
    return network.address.kind() === address.kind() && address.match(network.address, network.prefixBits);
  });
}

// For the JSON Schema of the Helm chart, which cannot check that host bits are 0.
const networkListPattern = "^\\s*([0-9A-Fa-f:.]+/[0-9]{1,3})?(\\s*,\\s*([0-9A-Fa-f:.]+/[0-9]{1,3})?)*\\s*$";

/**
 * Configuration type: comma-separated networks in CIDR notation. The error names each invalid entry, by its position if
 * the entry may be a secret.
 */
export const networkList = commaSeparated
  .transform((entries, context) => {
    const networks = entries.map(parseNetwork);
    const invalid = entries.flatMap((entry, index) => (networks[index] ? [] : [displayName(entry, index)]));
    if (invalid.length > 0)
      context.addIssue(`must list networks such as 10.1.0.0/16, with all host bits 0; invalid: ${listed(invalid)}`);
    return networks.filter((network) => network !== undefined);
  })
  .meta({ pattern: networkListPattern });

/**
 * Configuration type: networks that are allowed although they are not public. Rejects networks larger than the largest
 * private ranges, so that no entry disables the guard.
 */
export const allowedNetworkList = networkList.superRefine((networks, context) => {
  const tooLarge = networks.filter(({ address, prefixBits }) => prefixBits < (address instanceof ipaddr.IPv4 ? 8 : 7));
  const names = tooLarge.map(({ address, prefixBits }) => `${address}/${prefixBits}`);
  if (names.length > 0)
    context.addIssue(`must not list IPv4 networks larger than /8 or IPv6 networks larger than /7: ${listed(names)}`);
});

// Quotes an entry only if it looks like an address: any other text may be a secret pasted into the wrong variable.
function displayName(entry: string, index: number): string {
  return /^[\da-f]*[.:][\da-f.:]*(\/\d*)?$/i.test(entry) ? entry : `entry ${index + 1}`;
}

function listed(names: readonly string[]): string {
  return [...new Set(names)].join(", ");
}

function parseNetwork(text: string): Network | undefined {
  const [, base = "", prefix = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const address = parseIpAddress(base);
  const prefixBits = Number(prefix);
  if (address === undefined || prefixBits > (address instanceof ipaddr.IPv4 ? 32 : 128)) return undefined;
  const first =
    address instanceof ipaddr.IPv4
      ? ipaddr.IPv4.networkAddressFromCIDR(text)
      : ipaddr.IPv6.networkAddressFromCIDR(text);
  // If host bits are set, as in 10.0.0.1/8, the address or the prefix length is probably a typo.
  return first.toString() === address.toString() ? { address, prefixBits } : undefined;
}
