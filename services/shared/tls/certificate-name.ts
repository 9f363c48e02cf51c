import type { X509Certificate } from "node:crypto";

/**
 * Returns whether a certificate's subjectAltName contains this DNS name, in any letter case. Common names do not count,
 * because they are not identities (RFC 9525 §2), nor do wildcards, because they would identify several peers.
 */
export function hasName(certificate: X509Certificate, name: string): boolean {
  return certificate.checkHost(name, { subject: "never", wildcards: false }) !== undefined;
}
