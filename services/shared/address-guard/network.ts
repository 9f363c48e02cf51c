import ipaddr from "ipaddr.js";
import { commaSeparated } from "../config/variable-types.ts";
import { type IpAddress, parseIpAddress } from "./ip-address.ts";

/** A network, as CIDR notation tells it. */
export interface Network {
  readonly address: IpAddress;
  readonly prefixBits: number;
}

/** Whether one of the networks holds the address. */
export function isIn(networks: readonly Network[], address: IpAddress): boolean {
  return networks.some((network) => {
    return network.address.kind() === address.kind() && address.match(network.address, network.prefixBits);
  });
}

/** Networks of a configuration, in CIDR notation, separated by commas. Entries that are none are named. */
export const networkList = commaSeparated.transform((entries, context) => {
  const networks = entries.map(parseNetwork);
  const wrong = entries.flatMap((entry, index) => (networks[index] ? [] : [nameOf(entry, index)]));
  if (wrong.length > 0)
    context.addIssue(`must list networks such as 10.1.0.0/16; not a network: ${listed(wrong)}`);
  return networks.filter((network) => network !== undefined);
});

/**
 * Networks that are allowed though they are not public. Half of the Internet is no such network: the largest are those
 * of private addresses, so that nobody switches the guard off.
 */
export const allowedNetworkList = networkList.superRefine((networks, context) => {
  const tooLarge = networks.filter(
    ({ address, prefixBits }) => prefixBits < (address instanceof ipaddr.IPv4 ? 8 : 7),
  );
  const names = tooLarge.map(({ address, prefixBits }) => `${address}/${prefixBits}`);
  if (names.length > 0)
    context.addIssue(`must not list networks larger than 10.0.0.0/8 or fc00::/7: ${listed(names)}`);
});

// What looks like an address stands for itself; anything else may be a secret that was pasted into the wrong variable.
function nameOf(entry: string, index: number): string {
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
  // 10.0.0.1/8 is a misspelt address or a misspelt network.
  return first.toString() === address.toString() ? { address, prefixBits } : undefined;
}
