import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";

/** TLS settings that an operator may change. */
export interface DeliveryTls {
  /** One or several authorities' certificates, PEM, that are trusted beside the public ones; what cannot be read is left out. Default none. */
  readonly extraAuthoritiesPem?: string | undefined;
  /** Groups for the key exchange, the best first, separated by colons. Default {@link defaultGroups}. */
  readonly groups?: string;
}

/**
 * Without OpenSSL's own first choice, the hybrid X25519MLKEM768: its key share costs a tenth of a delivery, whether or not
 * the receiver can use it.
 */
export const defaultGroups = "X25519:P-256:P-384";

/**
 * The TLS settings of all deliveries: TLS 1.2 or later, and the public authorities.
 *
 * @throws Error when a group is not known
 */
export function deliverySecureContext(tls: DeliveryTls = {}): SecureContext {
  const { extraAuthoritiesPem, groups = defaultGroups } = tls;
  const extra = extraAuthoritiesPem === undefined ? [] : [extraAuthoritiesPem];
  return createSecureContext({
    ca: [...rootCertificates, ...extra],
    minVersion: "TLSv1.2",
    // Here alone: beside a secure context, a connection's own groups are ignored.
    ecdhCurve: groups,
  });
}

/** Whether OpenSSL knows all of these groups. */
export function areTlsGroups(groups: string): boolean {
  try {
    createSecureContext({ ecdhCurve: groups });
    return groups !== "auto";
  } catch {
    return false;
  }
}
