import ipaddr from "ipaddr.js";
import { commaSeparated } from "../config/load-config.ts";
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

/** Networks of a configuration, in CIDR notation, separated by commas. */
export const networkList = commaSeparated.transform((entries, context) => {
  return entries.flatMap((entry): Network[] => {
    const network = parseNetwork(entry);
    if (network !== undefined) return [network];
    context.addIssue("names something that is no network, as 10.1.0.0/16 is");
    return [];
  });
});

/**
 * Networks that are allowed though they are not public. Half of the Internet is no such network: the largest are those
 * of private addresses, so that nobody switches the guard off.
 */
export const allowedNetworkList = networkList.refine(
  (networks) =>
    networks.every(({ address, prefixBits }) => prefixBits >= (address instanceof ipaddr.IPv4 ? 8 : 7)),
  "names a network that is larger than 10.0.0.0/8 or fc00::/7",
);

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
