import { networksOf, parsePeer } from "#shared/limits/client-networks.ts";
import type { BucketPolicy } from "#shared/limits/token-bucket.ts";
import { TokenBuckets } from "#shared/limits/token-buckets.ts";
import type { Clock } from "#shared/time/clock.ts";

const defaultPolicy: BucketPolicy = { capacity: 20, tokensPerSecond: 0.2 };
const peersMax = 10_000;

/**
 * Limits failed authentications per peer: a token bucket for each IPv4 address and IPv6 /48 network, by default 20
 * failures at once, then one every five seconds. Calls with valid tokens are not limited, so a peer cannot lock out an
 * operator behind the same address; a 256-bit token cannot be guessed, however fast a peer tries.
 */
export class FailedLogins {
  readonly #buckets: TokenBuckets;

  /** @param clock a monotonic clock */
  constructor(clock: Clock, policy: BucketPolicy = defaultPolicy) {
    this.#buckets = new TokenBuckets(clock, [policy], peersMax);
  }

  /** Counts a failed authentication. @returns 0, or the seconds to wait if the peer's group has failed too often */
  count(peer: string): number {
    return this.#buckets.take([peerGroup(peer)]);
  }
}

/**
 * Returns the group that shares a limit: an IPv4 address, or an IPv6 /48 network, because one site can own all of it.
 */
export function peerGroup(peer: string): string {
  const address = parsePeer(peer);
  return address === undefined ? peer : (networksOf(address).at(-1) ?? peer);
}
