import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";

/**
 * The TLS settings of all deliveries: TLS 1.2 or later, the public authorities, and others beside them.
 *
 * @param extraAuthoritiesPem one or several certificates; default none
 * @throws Error when the text holds no certificate
 */
export function deliverySecureContext(extraAuthoritiesPem?: string): SecureContext {
  const extra = extraAuthoritiesPem === undefined ? [] : [extraAuthoritiesPem];
  if (extraAuthoritiesPem?.includes("BEGIN CERTIFICATE") === false) {
    throw new Error("The file of extra authorities holds no PEM certificate.");
  }
  return createSecureContext({ ca: [...rootCertificates, ...extra], minVersion: "TLSv1.2" });
}
