import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import { parseIpAddress } from "#shared/address-guard/ip-address.ts";
import { type Bucket, type BucketPolicy, takeToken } from "#shared/limits/token-bucket.ts";
import type { Clock } from "#shared/time/clock.ts";

const defaultPolicy: BucketPolicy = { capacity: 20, tokensPerSecond: 0.2 };
const peersMax = 10_000;

/**
 * Limits failed authentications per peer: a token bucket for each IPv4 address and IPv6 /48 network, by default 20
 * failures at once, then one every five seconds. Calls with valid tokens are not limited, so a peer cannot lock out an
 * operator behind the same address; a 256-bit token cannot be guessed, however fast a peer tries.
 */
export class FailedLogins {
  readonly #clock: Clock;
  readonly #policy: BucketPolicy;
  readonly #buckets = new LRUCache<string, Bucket>({ max: peersMax });

  /** @param clock a monotonic clock */
  constructor(clock: Clock, policy: BucketPolicy = defaultPolicy) {
    this.#clock = clock;
    this.#policy = policy;
  }

  /** Counts a failed authentication. @returns 0, or the seconds to wait if the peer's group has failed too often */
  count(peer: string): number {
    const group = peerGroup(peer);
    const { bucket, waitSeconds } = takeToken(this.#policy, this.#buckets.get(group), this.#clock.now());
    this.#buckets.set(group, bucket);
    return waitSeconds;
  }
}

/**
 * Returns the group that shares a limit: an IPv4 address, or an IPv6 /48 network, because one site can own all of it.
 */
export function peerGroup(peer: string): string {
  const address = parseIpAddress(peer.replace(/%.*$/, ""));
  if (!(address instanceof ipaddr.IPv6)) return peer;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 3), 0, 0, 0, 0, 0]).toRFC5952String()}/48`;
}
