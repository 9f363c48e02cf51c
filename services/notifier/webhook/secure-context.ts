import { constants } from "node:crypto";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";

/** The configurable TLS settings of deliveries. */
interface DeliveryTls {
  /**
   * PEM certificates of authorities trusted in addition to the public ones. All must be valid: OpenSSL silently ignores
   * an invalid certificate and everything after it.
   */
  readonly extraAuthoritiesPem?: string | undefined;
  /** Key exchange groups, most preferred first, separated by colons. Default {@link defaultGroups}. */
  readonly groups?: string;
}

/**
 * The default groups. They omit OpenSSL's first choice, the post-quantum hybrid X25519MLKEM768: its key share costs a
 * tenth of a delivery's CPU time, even if the receiver does not support it.
 */
export const defaultGroups = "X25519:P-256:P-384";

/**
 * Creates the TLS context of all deliveries: TLS 1.2 or later, trusting the public authorities and the extra ones.
 *
 * @throws Error if a group is unknown
 */
export function deliverySecureContext(tls: DeliveryTls = {}): SecureContext {
  const { extraAuthoritiesPem, groups = defaultGroups } = tls;
  const extra = extraAuthoritiesPem === undefined ? [] : [extraAuthoritiesPem];
  return createSecureContext({
    ca: [...rootCertificates, ...extra],
    minVersion: "TLSv1.2",
    // Each renegotiation of a TLS 1.2 connection costs as much as a handshake. TLS 1.2 tickets would be useless,
    // because only TLS 1.3 sessions are resumed; SSL_OP_NO_TICKET does not affect those.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET,
    // Set here, because tls.connect ignores its option `ecdhCurve` if it is given a secure context.
    ecdhCurve: groups,
  });
}

/** Returns whether OpenSSL supports all of the groups. False for `auto`, which leaves the choice to OpenSSL. */
export function areTlsGroups(groups: string): boolean {
  try {
    createSecureContext({ ecdhCurve: groups });
    return groups !== "auto";
  } catch {
    return false;
  }
}
