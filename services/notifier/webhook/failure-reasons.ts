import { type Reason, type ReasonCode, type ReasonParams, reason } from "#shared/reasons/reason.ts";

/** The codes whose only parameter is the system's error code. */
type ErrorReasonCode = {
  [Code in ReasonCode]: ReasonParams<Code> extends [params: { readonly error: string | number }] ? Code : never;
}[ReasonCode];

const connectionReasons: Readonly<Record<string, ErrorReasonCode>> = {
  ENOTFOUND: "host_not_found",
  ENODATA: "host_without_address",
  EAI_AGAIN: "host_not_resolved",
  ECONNREFUSED: "connection_refused",
  EHOSTUNREACH: "receiver_unreachable",
  ENETUNREACH: "receiver_unreachable",
  ETIMEDOUT: "connection_timed_out",
  ECONNRESET: "connection_broken",
  EPIPE: "connection_broken",
};

const tlsReasons: Readonly<Record<string, ErrorReasonCode>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: "receiver_certificate_of_other_host",
  CERT_HAS_EXPIRED: "receiver_certificate_expired",
  CERT_NOT_YET_VALID: "receiver_certificate_not_yet_valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: "receiver_certificate_self_signed",
  SELF_SIGNED_CERT_IN_CHAIN: "receiver_certificate_authority_untrusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "receiver_certificate_issuer_unknown",
  UNABLE_TO_GET_ISSUER_CERT: "receiver_certificate_issuer_unknown",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "receiver_certificate_issuer_unknown",
  ERR_SSL_WRONG_VERSION_NUMBER: "port_without_tls",
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "tls_version_too_old",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "tls_version_too_old",
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: "http11_unsupported",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "client_certificate_required",
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: "host_name_not_recognized",
};

/** Returns the reason code for a connection that failed. @param code the error's code; may be the empty string */
export function connectionReason(code: string): ErrorReasonCode {
  return connectionReasons[code] ?? "connection_failed";
}

/** Returns the reason code for the code of a TLS error; undefined for any other code. */
export function tlsReason(code: string): ErrorReasonCode | undefined {
  const known = tlsReasons[code];
  if (known !== undefined) return known;
  if (/^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(code)) return "tls_handshake_failed";
  // OpenSSL's X.509 verification errors, as Node names them.
  return /CERT|ISSUER|SIGNATURE|CRL|CA$/.test(code) ? "receiver_certificate_untrusted" : undefined;
}

/** Creates the reason for a system error. @param error the error's code; the empty string if it has none */
export function reasonOfError(code: ErrorReasonCode, error: string): Reason {
  return reason(code, { error: error === "" ? "none" : error });
}
