import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";

/**
 * Tells the addresses that a receiver's host may be connected to. This is the seam of the address guard: it is asked
 * once for each attempt, for IP literals too, and the socket connects to nothing but its answer. A guard refuses by
 * throwing a DeliveryFailure.
 */
export type AddressResolver = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Every address that the system's resolver knows: no guard. The next issue puts one here, on the c-ares Resolver. */
export const resolveAddresses: AddressResolver = async (hostname) => {
  const family = isIP(hostname);
  return family === 0 ? lookup(hostname, { all: true }) : [{ address: hostname, family }];
};
