import type { X509Certificate } from "node:crypto";

/**
 * Returns whether a certificate's subjectAltName contains exactly this DNS name. A common name is not an identity (RFC
 * 9525 §2), and a wildcard would identify several peers.
 */
export function hasName(certificate: X509Certificate, name: string): boolean {
  return certificate.checkHost(name, { subject: "never", wildcards: false }) !== undefined;
}
