import type { X509Certificate } from "node:crypto";
import { hasName } from "../tls/certificate-name.ts";

/** The parties to gRPC calls: the services, and `operator` for the people and scripts that use certctl. */
export const peers = ["registry", "edge", "notifier", "operator"] as const;

/** One of {@link peers}. */
export type Peer = (typeof peers)[number];

/** The syntax of the parent domain of the peers' names. */
export const peerDomain = /^(?=.{1,200}$)[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

/** Returns the DNS name that identifies a peer in its certificate's subjectAltName: `edge.<domain>`. */
export function peerName(peer: Peer, domain: string): string {
  return `${peer}.${domain}`;
}

export function peersOf(certificate: X509Certificate, domain: string): ReadonlySet<Peer> {
  return new Set(peers.filter((peer) => hasName(certificate, peerName(peer, domain))));
}
