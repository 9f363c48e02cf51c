import { createAddressGuard } from "#shared/address-guard/address-guard.ts";
import { allowedNetworkList } from "#shared/address-guard/network.ts";

/** A guard that also allows this machine's loopback addresses. */
export const loopbackGuard = guardAllowing("127.0.0.0/8, ::1/128");

/** Creates a guard that allows the given networks and hosts in addition to public addresses. */
export function guardAllowing(networks: string, ...allowedHosts: string[]) {
  const allowedNetworks = allowedNetworkList.parse(networks);
  return createAddressGuard({ allowedNetworks, allowedHosts, refusedNetworks: [] });
}
