import { createAddressGuard } from "#shared/address-guard/address-guard.ts";
import { allowedNetworkList } from "#shared/address-guard/network.ts";

/** The guard of tests whose receivers listen on this machine. */
export const loopbackGuard = guardAllowing("127.0.0.0/8, ::1/128");

/** A guard that allows only these networks, and hosts, beside what is public. */
export function guardAllowing(networks: string, ...allowedHosts: string[]) {
  const allowedNetworks = allowedNetworkList.parse(networks);
  return createAddressGuard({ allowedNetworks, allowedHosts, refusedNetworks: [] });
}
